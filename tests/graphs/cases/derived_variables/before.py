"""Variables begin with what others have, and Python's random goes on where the program left it."""
import random
import sys

import numpy as np
import tensorflow as tf

random.seed(7)
kernel = tf.get_variable("kernel", [3, 2])
wide = tf.get_variable("wide", [4], tf.float64)
double = tf.Variable(kernel * 2, name="double")
shifted = tf.get_variable("shifted", initializer=double.initialized_value() + 1)
rows = tf.Variable(tf.shape(kernel)[0], name="rows")
order = list(range(8))
random.shuffle(order)
x = tf.placeholder(tf.float32, [None, 3])
y = tf.matmul(x, kernel * 2 - double + shifted - kernel * 2)
with tf.Session() as sess:
    for variable in (kernel, wide, double, shifted, rows):
        sess.run(variable.initializer)
    first = sess.run([double - 2 * kernel, shifted - 2 * kernel])
    out, count = sess.run([y, rows], {x: np.ones((2, 3))})
    sess.run(kernel.assign(kernel * 10))
    kept = sess.run(double * 5 - kernel)
    sess.run(double.initializer)
    again = sess.run(double - 2 * kernel)
    bound = sess.run(tf.reduce_all(tf.abs(wide) < np.sqrt(6.0 / 8.0)))
names = [v.op.name for v in tf.global_variables()]
np.savez(sys.argv[1], first=first, out=out, count=count, kept=kept, again=again, bound=bound, names=names,
         order=order, drawn=random.random())
