"""An optimizer that begins anew in the middle: its state is initialized, and a slot of it is read and set."""
import sys

import numpy as np
import tensorflow as tf


class Trainer(object):

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
        self.loss = tf.reduce_mean(tf.square(tf.reduce_sum(self.x * w, 1) - 1.0))
        self.optimizer = tf.train.AdamOptimizer(0.1, name='Inner')
        self.step = self.optimizer.minimize(self.loss)
        self.reset = tf.variables_initializer(self.optimizer.variables())
        moment = self.optimizer.get_slot(w, 'm')
        self.halve = tf.assign(moment, moment * 0.5)
        self.moment, self.begin = moment, moment.initializer
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, rows):
        losses = []
        for _ in range(3):
            losses.append(self.sess.run([self.loss, self.step], {self.x: rows})[0])
        return losses

    def state(self):
        return self.sess.run(self.optimizer.variables())


def main(output):
    rows = np.random.RandomState(0).uniform(size=(4, 2))
    trainer = Trainer()
    names = np.array([v.name for v in trainer.optimizer.variables()])
    first = trainer.train(rows)
    trainer.sess.run(trainer.halve)
    halved = trainer.sess.run(trainer.moment)
    second = trainer.train(rows)
    trainer.sess.run(trainer.begin)
    begun = trainer.sess.run(trainer.moment)
    state = trainer.state()
    trainer.sess.run(trainer.reset)
    third = trainer.train(rows)
    trainer.sess.run([v.initializer for v in trainer.optimizer.variables()])
    fourth = trainer.train(rows)
    np.savez(output, names=names, losses=[first, second, third, fourth], halved=halved, begun=begun,
             state=np.concatenate([np.ravel(value) for value in state]))


if __name__ == '__main__':
    main(sys.argv[1])
