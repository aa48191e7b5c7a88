"""Two objects share variables; the one that reuses them is run first."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers


class Scorer(object):
    """Scores rows; training uses another batch size than scoring."""

    def __init__(self, rows, labels, size, batch, is_training=True):
        self.rows = rows
        self.labels = labels
        hidden = layers.dense(
            self.rows, 5, name='hidden',
            kernel_initializer=initializers.constant_initializer(np.sin(np.arange(5 * size))))
        if is_training:
            hidden = tf.nn.tanh(hidden)
        w = scopes.get_variable('w', [5, 3], tf.float64)
        self.logits = tf.matmul(hidden, w)
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=self.logits, labels=self.labels))


def main(output):
    rng = np.random.RandomState(2)
    data, labels = rng.normal(size=(6, 4)), rng.randint(0, 3, 6)
    initializer = initializers.constant_initializer(0.1)
    step = scopes.Variable(0, trainable=False, name='step')
    optimizer = optimizers.AdamOptimizer(0.05)
    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([1, 4], tf.float64),
        tf.TensorSpec([1], tf.int64),
    ])
    def compute_loss(single_rows, single_labels):
        """Computes single.loss.

        Args:
            single_rows: float64 [1, 4]
            single_labels: int64 [1]
        """
        with store.run():
            with scopes.variable_scope('scorer', reuse=True, initializer=initializer):
                single = Scorer(single_rows, single_labels, 4, 1, is_training=False)
        return single.loss

    @tf.function(input_signature=[
        tf.TensorSpec([6, 4], tf.float64),
        tf.TensorSpec([6], tf.int64),
    ])
    def train_step(rows, trained_labels):
        """One training step; returns trained.loss.

        Args:
            rows: float64 [6, 4]
            trained_labels: int64 [6]
        """
        with store.run(), tf.GradientTape() as tape:
            with scopes.variable_scope('scorer', reuse=None, initializer=initializer):
                trained = Scorer(rows, trained_labels, 4, 6)
        variables = store.trainable_variables
        gradients = tape.gradient(trained.loss, variables)
        optimizer.apply_gradients(zip(gradients, variables), global_step=step)
        return trained.loss

    # Tracing makes the variables, which others reuse.
    train_step.get_concrete_function()

    losses, scores = [], []
    for _ in range(3):
        outputs = compute_loss(data[:1], labels[:1])
        scores.append(tf.nest.map_structure(lambda t: t.numpy(), outputs))
        loss = train_step(data, labels).numpy()
        losses.append(loss)
    steps = step.numpy()
    np.savez(output, losses=losses, scores=scores, steps=steps)


if __name__ == '__main__':
    main(sys.argv[1])
