"""Two objects share variables; the one that reuses them is run first."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers
from tf1_support import scopes


class Scorer(object):
    """Scores rows; training uses another batch size than scoring."""

    def __init__(self, size, batch, is_training=True):
        self.rows = graphs.placeholder(tf.float64, [batch, size], name='rows')
        self.labels = graphs.placeholder(tf.int64, [batch], name='labels')
        hidden = layers.dense(
            self.rows, 5, name='hidden',
            kernel_initializer=initializers.constant_initializer(np.sin(np.arange(5 * size))))
        if is_training:
            hidden = tf.nn.tanh(hidden)
        w = scopes.get_variable('w', [5, 3], tf.float64)
        self.logits = tf.matmul(hidden, w)
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=self.logits, labels=self.labels))


@graphs.building
def main(output):
    rng = np.random.RandomState(2)
    data, labels = rng.normal(size=(6, 4)), rng.randint(0, 3, 6)
    initializer = initializers.constant_initializer(0.1)
    with scopes.variable_scope('scorer', reuse=None, initializer=initializer):
        trained = Scorer(4, 6)
    with scopes.variable_scope('scorer', reuse=True, initializer=initializer):
        single = Scorer(4, 1, is_training=False)
    step = scopes.Variable(0, trainable=False, name='step')
    train_op = optimizers.AdamOptimizer(0.05).minimize(trained.loss, global_step=step)

    losses, scores = [], []
    train_step = graphs.function([trained.rows, trained.labels], [trained.loss, train_op])
    compute_loss = graphs.function([single.rows, single.labels], single.loss)
    for _ in range(3):
        scores.append(compute_loss(data[:1], labels[:1]))
        loss, _ = train_step(data, labels)
        losses.append(loss)
    steps = graphs.run(step)
    np.savez(output, losses=losses, scores=scores, steps=steps)


if __name__ == '__main__':
    main(sys.argv[1])
