"""A network and its frozen copy, which a function sets to the network's values before the first step and later."""

import sys

import numpy as np
import tensorflow as tf

states = tf.placeholder(tf.float32, [None, 3])
later = tf.placeholder(tf.float32, [None, 3])

with tf.variable_scope("online"):
    values = tf.layers.dense(states, 2, kernel_initializer=tf.constant_initializer(0.3))
with tf.variable_scope("target"):
    wanted = tf.layers.dense(later, 2, trainable=False, kernel_initializer=tf.constant_initializer(0.7))

loss = tf.reduce_mean(tf.squared_difference(values, wanted))
train = tf.train.AdamOptimizer(0.1).minimize(loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())


def copy():
    theirs = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="target")
    ours = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="online")
    sess.run([tf.assign(t, o) for t, o in zip(theirs, ours)])


data = np.ones([4, 3], np.float32)
losses = []
for step in range(6):
    if step % 3 == 0:
        copy()
    _, found = sess.run([train, loss], {states: data, later: 2 * data})
    losses.append(found)
np.savez(sys.argv[1], losses=np.array(losses))
