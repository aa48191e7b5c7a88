"""A model object that only builds a graph; the script feeds and fetches its attributes."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers
from tf1_support import scopes


class Config(object):
    features = 4
    classes = 3
    hidden = 5
    learning_rate = 0.05


class TextModel(object):
    """A small classifier.

    Args:
        config: sizes and the learning rate.
    """

    def __init__(self, config):
        self.config = config
        self.network()

    def network(self):
        config = self.config
        with scopes.variable_scope('hidden'):
            hidden_w = scopes.get_variable('w', dtype=tf.float64, initializer=np.sin(
                np.arange(config.features * config.hidden)).reshape(config.features, -1))
        with scopes.variable_scope('logits'):
            w = scopes.get_variable('w', dtype=tf.float64, initializer=np.cos(
                np.arange(config.hidden * config.classes)).reshape(config.hidden, -1))
        with tf.name_scope('optimize'):
            optimizer = optimizers.AdamOptimizer(config.learning_rate)

        @tf.function(input_signature=[
            tf.TensorSpec([None, self.config.features], tf.float64),
            tf.TensorSpec([None], tf.int32),
        ])
        def train_step(input_x, input_y):
            """One training step.

            Args:
                input_x: float64 [None, self.config.features]
                input_y: int32 [None]
            """
            with tf.GradientTape() as tape:
                with scopes.variable_scope('hidden'):
                    hidden = tf.nn.tanh(tf.matmul(input_x, hidden_w))
                with scopes.variable_scope('logits'):
                    logits = tf.matmul(hidden, w)
                with tf.name_scope('optimize'):
                    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
                        labels=input_y, logits=logits)
                    loss = tf.reduce_mean(cross_entropy)
            gradients = tape.gradient(loss, [hidden_w, w])
            optimizer.apply_gradients(zip(gradients, [hidden_w, w]))

        self.train_step = train_step

        @tf.function(input_signature=[
            tf.TensorSpec([None, self.config.features], tf.float64),
            tf.TensorSpec([None], tf.int32),
        ])
        def evaluate_step(input_x, input_y):
            """Computes loss and acc.

            Args:
                input_x: float64 [None, self.config.features]
                input_y: int32 [None]
            """
            with scopes.variable_scope('hidden'):
                hidden = tf.nn.tanh(tf.matmul(input_x, hidden_w))
            with scopes.variable_scope('logits'):
                logits = tf.matmul(hidden, w)
                predictions = tf.argmax(logits, 1)
            with tf.name_scope('optimize'):
                cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=input_y, logits=logits)
                loss = tf.reduce_mean(cross_entropy)
            with tf.name_scope('accuracy'):
                correct = tf.equal(tf.cast(predictions, tf.int32), input_y)
                acc = tf.reduce_mean(tf.cast(correct, tf.float64))
            return loss, acc

        self.evaluate_step = evaluate_step

        @tf.function(input_signature=[tf.TensorSpec([None, self.config.features], tf.float64)])
        def predict(input_x):
            """Computes predictions.

            Args:
                input_x: float64 [None, self.config.features]
            """
            with scopes.variable_scope('hidden'):
                hidden = tf.nn.tanh(tf.matmul(input_x, hidden_w))
            with scopes.variable_scope('logits'):
                logits = tf.matmul(hidden, w)
                predictions = tf.argmax(logits, 1)
            return predictions

        self.predict = predict


def main(output):
    config = Config()
    model = TextModel(config)
    rng = np.random.RandomState(12)
    data = rng.normal(size=(8, config.features))
    labels = rng.randint(0, config.classes, size=8)

    losses = []
    for epoch in range(3):
        feed_dict = {'input_x': data, 'input_y': labels}
        model.train_step(**feed_dict)
        loss_train, acc_train = (value.numpy() for value in model.evaluate_step(**feed_dict))
        losses.append(loss_train)
    classes = model.predict(data).numpy()
    np.savez(output, losses=losses, accuracy=acc_train, classes=classes)


if __name__ == '__main__':
    main(sys.argv[1])
