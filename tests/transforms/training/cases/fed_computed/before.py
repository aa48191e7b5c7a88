"""What is computed from constants is run as it is, and with a value fed in the middle; names come again."""
import sys

import numpy as np
import tensorflow as tf

a = tf.add(2, 5)
b = tf.multiply(a, 3)
with tf.Session() as sess:
    plain = sess.run(b)
    fed = sess.run(b, feed_dict={a: 15})
np.savez(sys.argv[1], plain=plain, fed=fed)
