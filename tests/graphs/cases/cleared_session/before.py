"""Keras clears its session between two graphs: names and variables of the second are as of a first one."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K


def fit(data, rate):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)), name="loss")
    step = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(step, {x: data})
        return sess.run(loss, {x: data}), loss.name, [v.name for v in tf.global_variables()]


data = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
found = []
for rate in (0.01, 0.02):
    found.append(fit(data, rate))
    K.clear_session()
np.savez(sys.argv[1], losses=[f[0] for f in found], names=[f[1] for f in found], variables=[f[2] for f in found])
