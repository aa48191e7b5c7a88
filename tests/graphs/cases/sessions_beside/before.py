"""Sessions of one graph that live at once: each has values of its own, runs and checkpoints are its own."""
import os
import sys

import numpy as np
import tensorflow as tf

folder = os.path.dirname(os.path.abspath(sys.argv[1]))
x = tf.placeholder(tf.float32, [])
w = tf.Variable(10., name='w')
y = w * x
up = w.assign_add(1.)
saver = tf.train.Saver()
out = {}


class Two(object):
    def __init__(self):
        self.one = tf.Session()
        self.two = tf.Session()

    def go(self):
        self.one.run(w.initializer)
        self.two.run(w.initializer)
        self.one.run(up)
        return self.two.run(w), self.one.run(w)


one = tf.Session()
two = tf.Session()
one.run(tf.global_variables_initializer())
two.run(tf.global_variables_initializer())
out['up'] = [one.run(up), two.run(w.assign_sub(5.)), one.run(up)]
path = saver.save(one, os.path.join(folder, 'kept'))
out['evaluated'] = [y.eval({x: 2.}, session=one), y.eval(session=two, feed_dict={x: 2.})]
up.op.run(session=two)
up.op.run(session=two)
with one.as_default():
    out['default'] = [two.run(w), w.eval(), two.run(y, {x: 3.}), y.eval({x: 3.})]
saver.restore(two, path)
two.run(up)
out['restored'] = [one.run(w), two.run(w)]
out['object'] = Two().go()
one.close()
two.close()
np.savez(sys.argv[1], **out)
