"""A graph that grows after its first run; inputs that have two names; weights in a list."""
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float64, [None, 2])
weights = []
for scale in (1.0, 0.5):
    weights.append(tf.Variable(np.full([2, 2], scale)))
hidden = tf.matmul(x, weights[0])
sess = tf.Session()
sess.run(tf.global_variables_initializer())
data = np.random.RandomState(1).uniform(-1, 1, (5, 2))
first = sess.run(hidden, {x: data})

given, largest = x, np.abs(first).max()
output = tf.matmul(hidden / largest, weights[1])
loss = tf.reduce_mean(tf.square(output - given))
train_op = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
losses = [sess.run([train_op, loss], {given: data})[1] for _ in range(3)]
parts = sess.run([output] + [hidden], {x: data})
np.savez(sys.argv[1], first=first, losses=losses, output=parts[0], hidden=parts[1],
         weights=sess.run(weights))
