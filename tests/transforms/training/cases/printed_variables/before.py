"""A regression that prints its variables: before it trains, and what they are called at the end."""
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float64, [None, 3], name='x')
target = tf.placeholder(tf.float64, [None, 1], name='target')
with tf.variable_scope('net'):
    hidden = tf.layers.dense(
        x, 4, tf.nn.tanh, kernel_initializer=tf.constant_initializer(0.2), name='hidden')
    output = tf.layers.dense(
        hidden, 1, kernel_initializer=tf.constant_initializer(0.5), name='output')
loss = tf.reduce_mean(tf.square(output - target))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

# What is trained, and how much of it there is.
total = 0
weights = tf.trainable_variables()
sizes = [int(np.prod(v.get_shape().as_list())) for v in weights]
print('parameters:', sum(sizes))

lines = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(5)
    losses = []
    for _ in range(4):
        batch = rng.uniform(-1, 1, (6, 3))
        _, value = sess.run(
            [train_op, loss], feed_dict={x: batch, target: batch.sum(1, keepdims=True)})
        losses.append(value)
    print('trained', len(weights), 'of', len(tf.global_variables()))
    print([v.name for v in weights])
np.savez(sys.argv[1], losses=losses, names=[v.name for v in weights], sizes=sizes)
