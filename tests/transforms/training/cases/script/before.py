"""A script that feeds and fetches by names, and looks into its own graph."""
import sys

import numpy as np
import tensorflow as tf

a = tf.placeholder(tf.float64, shape=[], name='a')
b = tf.placeholder(tf.float64, shape=[], name='b')
c = tf.placeholder(tf.float64, shape=[], name='c')
scale = tf.get_variable('scale', initializer=np.float64(3.0))
total = tf.add(a, b, name='total')
scaled = tf.multiply(total * c, scale, name='scaled')
increase = tf.assign_add(scale, 1.0)

sess = tf.InteractiveSession()
sess.run(tf.global_variables_initializer())
feeds = dict(zip(['a:0', 'b:0', 'c:0'], [4.0, 5.0, 6.0]))
sess.run(increase)
value = sess.run('scaled:0', feed_dict=feeds)
names = [op.name for op in tf.get_default_graph().get_operations() if op.type == 'Placeholder']
np.savez(sys.argv[1], value=value, names=np.array(names))
