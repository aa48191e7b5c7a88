"""Two objects share variables; the one that reuses them is run first."""
import sys

import numpy as np
import tensorflow as tf


class Scorer(object):
    """Scores rows; training uses another batch size than scoring."""

    def __init__(self, size, batch, is_training=True):
        self.rows = tf.placeholder(tf.float64, [batch, size], name='rows')
        self.labels = tf.placeholder(tf.int64, [batch], name='labels')
        hidden = tf.layers.dense(
            self.rows, 5, name='hidden',
            kernel_initializer=tf.constant_initializer(np.sin(np.arange(5 * size))))
        if is_training:
            hidden = tf.nn.tanh(hidden)
        w = tf.get_variable('w', [5, 3], tf.float64)
        self.logits = tf.matmul(hidden, w)
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=self.logits, labels=self.labels))


def main(output):
    rng = np.random.RandomState(2)
    data, labels = rng.normal(size=(6, 4)), rng.randint(0, 3, 6)
    initializer = tf.constant_initializer(0.1)
    with tf.variable_scope('scorer', reuse=None, initializer=initializer):
        trained = Scorer(4, 6)
    with tf.variable_scope('scorer', reuse=True, initializer=initializer):
        single = Scorer(4, 1, is_training=False)
    step = tf.Variable(0, trainable=False, name='step')
    train_op = tf.train.AdamOptimizer(0.05).minimize(trained.loss, global_step=step)

    losses, scores = [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            scores.append(sess.run(
                single.loss, feed_dict={single.rows: data[:1], single.labels: labels[:1]}))
            loss, _ = sess.run(
                [trained.loss, train_op],
                feed_dict={trained.rows: data, trained.labels: labels})
            losses.append(loss)
        steps = sess.run(step)
    np.savez(output, losses=losses, scores=scores, steps=steps)


if __name__ == '__main__':
    main(sys.argv[1])
