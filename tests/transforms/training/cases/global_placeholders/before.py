"""Linear regression with placeholders at module level."""
import sys

import numpy as np
import tensorflow as tf

learning_rate = 0.1

# Inputs of the graph.
x = tf.placeholder(tf.float64, [None, 4], name='x')
y = tf.placeholder(tf.float64, [None, 1], name='y')  # what it learns to predict

# The model.
w = tf.Variable(np.linspace(-1.0, 1.0, 4).reshape(4, 1), name='w')
b = tf.Variable(np.zeros([1]), name='b')
pred = tf.matmul(x, w) + b
loss = tf.reduce_mean(tf.square(pred - y))  # mean squared error
train_op = tf.train.GradientDescentOptimizer(learning_rate).minimize(loss)
init = tf.global_variables_initializer()

losses = []
with tf.Session() as sess:
    sess.run(init)
    rng = np.random.RandomState(0)
    for step in range(3):
        bx = rng.normal(size=(8, 4))
        by = bx.sum(1, keepdims=True)
        _, loss_val = sess.run([train_op, loss], feed_dict={x: bx, y: by})
        losses.append(loss_val)
        print('step %d: loss %.4f' % (step, loss_val))
    predictions = sess.run(pred, feed_dict={x: bx})
    weights, bias = sess.run(w), b.eval()

np.savez(sys.argv[1], losses=losses, predictions=predictions, weights=weights, bias=bias)
