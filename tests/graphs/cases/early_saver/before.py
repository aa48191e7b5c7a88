"""A Saver saves what there was when it was made: without the state of the optimizer that came later."""
import os
import sys

import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None])
        self.w = tf.get_variable('w', initializer=1.0)
        self.loss = tf.reduce_sum(self.w * self.x)
        self.saver = tf.train.Saver(max_to_keep=2)

    def train(self, folder):
        step = tf.train.AdamOptimizer(0.1).minimize(self.loss)
        late = tf.train.Saver()
        extra = tf.get_variable('extra', initializer=2.0)
        tf.global_variables_initializer().run()
        self.sess.run(step, {self.x: [1.0]})
        out = {}
        for name, saver in (('early', self.saver), ('late', late)):
            path = saver.save(self.sess, os.path.join(folder, name))
            out[name] = [n for n, _ in tf.train.list_variables(path)]
        self.sess.run(step, {self.x: [1.0]})
        self.saver.restore(self.sess, os.path.join(folder, 'early'))
        out['values'] = self.sess.run([self.w, extra])
        return out


def main(output):
    with tf.Session() as sess:
        np.savez(output, **Model(sess).train(os.path.dirname(os.path.abspath(output))))


if __name__ == '__main__':
    main(sys.argv[1])
