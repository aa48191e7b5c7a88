"""A classifier whose feeds a function makes; steps are functions inside of the one that builds."""
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import optimizers
from tf1_support import summary


def main(output):
    def layer(inputs, size, name):
        with tf.name_scope(name):
            weights = scopes.Variable(np.linspace(-0.5, 0.6, 3 * size).reshape(-1, size))
            summary.histogram('weights', weights)
            return tf.matmul(inputs, weights)

    optimizer = optimizers.AdamOptimizer(0.1)

    @tf.function(input_signature=[
        tf.TensorSpec([None, 3], tf.float64),
        tf.TensorSpec([None], tf.int64),
        tf.TensorSpec(None, tf.float64),
    ])
    def compute_accuracy(x, y_, keep_prob):
        """Computes accuracy.

        Args:
            x: float64 [None, 3]
            y_: int64 [None]
            keep_prob: float64 of any shape
        """
        with store.run():
            logits = layer(tf.nn.dropout(x, rate=1 - keep_prob), 4, 'layer')
            accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y_), tf.float64))
        return accuracy

    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, 3], tf.float64),
        tf.TensorSpec([None], tf.int64),
        tf.TensorSpec(None, tf.float64),
        tf.TensorSpec([], tf.int64),
    ])
    def training_step(x, y_, keep_prob, step):
        """One training step; returns loss.

        Args:
            x: float64 [None, 3]
            y_: int64 [None]
            keep_prob: float64 of any shape
            step: the summaries' step
        """
        with writer.as_default(step=step):
            with store.run(), tf.GradientTape() as tape:
                logits = layer(tf.nn.dropout(x, rate=1 - keep_prob), 4, 'layer')
                loss = tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_, logits=logits))
            summary.scalar('keep_prob', keep_prob)
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables))
            return loss

    writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    rng = np.random.RandomState(0)
    test_x, test_y = rng.uniform(size=(6, 3)), rng.randint(0, 4, 6)
    losses, accuracies = [], []

    def feed_dict(train):
        """Maps data onto placeholders."""
        if train:
            xs, ys = rng.uniform(size=(4, 3)), rng.randint(0, 4, 4)
        else:
            xs, ys = test_x, test_y
        return {'x': xs, 'y_': ys, 'keep_prob': 1.0}

    def train_step(step):
        """One step, traced now and then."""
        if step % 2 == 1:  # record execution stats
            value = training_step(**feed_dict(True), step=step).numpy()
        else:
            value = training_step(**feed_dict(True), step=step).numpy()
        losses.append(value)

    def test_step():
        feed = feed_dict(False)
        accuracies.append(compute_accuracy(**feed).numpy())

    for step in range(4):
        train_step(step)
        test_step()
    writer.close()
    np.savez(output, losses=losses, accuracies=accuracies)


if __name__ == '__main__':
    main(sys.argv[1])
