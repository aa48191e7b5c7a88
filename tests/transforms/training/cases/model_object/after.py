"""A model object that only builds a graph; the script feeds and fetches its attributes."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
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
        self.input_x = graphs.placeholder(tf.float64, [None, config.features], name='input_x')
        self.input_y = graphs.placeholder(tf.int32, [None], name='input_y')
        self.network()

    def network(self):
        config = self.config
        with scopes.variable_scope('hidden'):
            w = scopes.get_variable('w', dtype=tf.float64, initializer=np.sin(
                np.arange(config.features * config.hidden)).reshape(config.features, -1))
            hidden = tf.nn.tanh(tf.matmul(self.input_x, w))
        with scopes.variable_scope('logits'):
            w = scopes.get_variable('w', dtype=tf.float64, initializer=np.cos(
                np.arange(config.hidden * config.classes)).reshape(config.hidden, -1))
            self.logits = tf.matmul(hidden, w)
            self.predictions = tf.argmax(self.logits, 1)
        with tf.name_scope('optimize'):
            cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self.input_y, logits=self.logits)
            self.loss = tf.reduce_mean(cross_entropy)
            self.optim = optimizers.AdamOptimizer(config.learning_rate).minimize(self.loss)
        with tf.name_scope('accuracy'):
            correct = tf.equal(tf.cast(self.predictions, tf.int32), self.input_y)
            self.acc = tf.reduce_mean(tf.cast(correct, tf.float64))


@graphs.building
def main(output):
    config = Config()
    model = TextModel(config)
    rng = np.random.RandomState(12)
    data = rng.normal(size=(8, config.features))
    labels = rng.randint(0, config.classes, size=8)

    losses = []
    optim_step = graphs.function([model.input_x, model.input_y], model.optim)
    compute_loss_and_acc = graphs.function([model.input_x, model.input_y], [model.loss, model.acc])
    for epoch in range(3):
        optim_step(data, labels)
        loss_train, acc_train = compute_loss_and_acc(data, labels)
        losses.append(loss_train)
    compute_predictions = graphs.function([model.input_x], model.predictions)
    classes = compute_predictions(data)
    np.savez(output, losses=losses, accuracy=acc_train, classes=classes)


if __name__ == '__main__':
    main(sys.argv[1])
