"""A model that makes its step, its summaries and its training operation below variable scopes."""
import sys

import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, stages):
        self.images = tf.placeholder(tf.float32, [None, 4])
        self.targets = tf.placeholder(tf.float32, [None, 2])
        self.losses = []
        last = self.images
        for number in range(stages):
            with tf.variable_scope('stage%d_loss' % number):
                last = tf.layers.dense(last, 2, kernel_initializer=tf.ones_initializer())
                self.losses.append(tf.nn.l2_loss(last - self.targets))
            tf.summary.scalar('stage%d_loss' % number, self.losses[-1])

    def train(self, rate):
        self.total = tf.add_n(self.losses)
        with tf.variable_scope('train'):
            self.step = tf.contrib.framework.get_or_create_global_step()
            self.train_op = tf.contrib.layers.optimize_loss(
                loss=self.total, global_step=self.step, learning_rate=rate, optimizer='SGD')


def main(output):
    model = Model(2)
    model.train(0.01)
    merged = tf.summary.merge_all()
    saver = tf.train.Saver()
    rng = np.random.RandomState(4)
    x, y = rng.rand(5, 4), rng.rand(5, 2)
    totals = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            total, _, shown = sess.run([model.total, model.train_op, merged],
                                       {model.images: x, model.targets: y})
            totals.append(total)
        saver.save(sess, './kept')
    tags = sorted(value.tag for value in tf.Summary.FromString(shown).value)
    kept = [name for name, _ in tf.train.list_variables('./kept')]
    np.savez(output, totals=totals, kept=kept, tags=tags)


if __name__ == '__main__':
    main(sys.argv[1])
