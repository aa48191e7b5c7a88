"""Pairs of gradients and variables are fetched: among others, alone, in a dict, and each by itself."""
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float64, [None], name='x')
slope = tf.Variable(np.float64(5.0))
offset = tf.Variable(np.float64(1.0))
loss = tf.reduce_mean(tf.square(slope * x + offset - x))
optimizer = tf.train.GradientDescentOptimizer(0.05)
pairs = optimizer.compute_gradients(loss, [slope, offset])
train = optimizer.apply_gradients(pairs)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
batch = [1.0, 2.0, 3.0]
seen = []
for step in range(3):
    got, value = sess.run([pairs, loss], feed_dict={x: batch})
    for gradient, variable in got:
        seen.append([gradient, variable, value])
    sess.run(train, feed_dict={x: batch})
(first, _), (second, _) = sess.run(pairs, feed_dict={x: batch})
named = sess.run({'pairs': pairs, 'loss': loss}, feed_dict={x: batch})
one = sess.run(pairs[0], feed_dict={x: batch})
np.savez(sys.argv[1], seen=seen, last=[first, second], named=np.array(named['pairs']),
         loss=named['loss'], one=one)
