"""A detector whose later methods add to the graph that its constructor built."""
import os
import sys

import numpy as np
import tensorflow as tf


class Trainer(object):

    def __init__(self, folder):
        self.folder = folder
        self.sess = tf.Session()
        with tf.name_scope('input'):
            self.data = tf.placeholder(tf.float64, [None, 3], name='data')
            self.target = tf.placeholder(tf.float64, [None], name='target')
        with tf.name_scope('learn_rate'):
            self.global_step = tf.Variable(1.0, dtype=tf.float64, trainable=False, name='step')
            self.rate = 0.1 / self.global_step
        self.weight = tf.Variable(np.linspace(0.0, 1.0, 3), name='weight')
        with tf.name_scope('loss'):
            self.predicted = tf.reduce_sum(self.data * self.weight, 1, name='predicted')
            self.loss = tf.reduce_mean(tf.square(self.predicted - self.target))
        optimizer = tf.train.GradientDescentOptimizer(self.rate)
        with tf.control_dependencies([optimizer.minimize(self.loss)]):
            self.train_op = self.global_step.assign_add(1.0)

    def train(self, data, target):
        self.sess.run(tf.global_variables_initializer())
        losses = []
        for _ in range(3):
            feed = {self.data: data, self.target: target}
            losses.append(self.sess.run([self.loss, self.train_op], feed)[0])
        return losses

    def save(self):
        saver = tf.train.Saver(tf.global_variables())
        saver.save(self.sess, os.path.join(self.folder, 'trained'))

    def squares(self, count):
        values = self.sess.run(tf.square(tf.range(count)))
        return np.random.RandomState(0).permutation(values)

    def restored(self, name, data):
        tf.train.Saver().restore(self.sess, os.path.join(self.folder, 'trained'))
        return self.sess.run(self.sess.graph.get_tensor_by_name(name), {self.data: data})


def main(output):
    rng = np.random.RandomState(4)
    trainer = Trainer(os.path.dirname(output))
    losses = trainer.train(rng.normal(size=(5, 3)), rng.normal(size=5))
    trainer.save()
    predicted = trainer.restored('loss/predicted:0', rng.normal(size=(2, 3)))
    names = tf.train.list_variables(os.path.join(os.path.dirname(output), 'trained'))
    np.savez(output, losses=losses, predicted=predicted, squares=trainer.squares(4),
             saved=[name for name, _ in names])


if __name__ == '__main__':
    main(sys.argv[1])
