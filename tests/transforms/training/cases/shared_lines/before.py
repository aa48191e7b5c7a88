"""Statements that share a line happen once each, in their order."""
import sys

import numpy as np
import tensorflow as tf

log = []
x = tf.placeholder(tf.float64, [None])
v = tf.Variable(np.float64(2.0))
y = v * x
grow = v.assign(v * 1.5)
log.append(1); log.append(10)
a = 1; b = 2; log.append(a + b)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(2):
        log.append(i); log.append(100)
        values = sess.run(y, {x: [1., 2.]})
        log.append(values[0]); log.append(1000)
        sess.run(grow)

np.savez(sys.argv[1], log=log, values=values)
