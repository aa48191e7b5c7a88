"""A fed name stands for another tensor by now; what was computed from the first one goes on with that."""
import sys

import numpy as np
import tensorflow as tf

out = {}
a = tf.placeholder(tf.float32, shape=[3])
b = tf.constant([5, 5, 5], tf.float32)
c = a + b
with tf.Session() as sess:
    out['first'] = sess.run(c, {a: [1, 2, 3]})
a = tf.add(2, 5)
b = tf.multiply(a, 3)
with tf.Session() as sess:
    out['computed'] = sess.run(b)
    out['fed'] = sess.run(b, feed_dict={a: 15})

x = tf.placeholder(tf.float32, [])
s = tf.constant(2.)
y = x * s
s = tf.add(s, 3.)
z = x + s
with tf.Session() as sess:
    out['both'] = sess.run([y, z], {x: 1.})
    out['second_fed'] = sess.run([y, z], {x: 1., s: 10.})
np.savez(sys.argv[1], **out)
