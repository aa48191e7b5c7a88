"""An interactive session, eval and run as methods, more graph inside the session."""
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder('float64', shape=[None, 16])
y_ = tf.placeholder('float64', shape=[None, 2])


def weight_variable(shape):
    initial = tf.constant(0.1 * np.cos(np.arange(np.prod(shape))).reshape(shape))
    return tf.Variable(initial)


def bias_variable(shape):
    initial = tf.constant(0.1, shape=shape, dtype=tf.float64)
    return tf.Variable(initial)


def conv2d(x, W):
    return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding='SAME')


x_image = tf.reshape(x, [-1, 4, 4, 1])
W_conv1 = weight_variable([3, 3, 1, 4])
b_conv1 = bias_variable([4])
h_conv1 = tf.nn.relu(conv2d(x_image, W_conv1) + b_conv1)
h_flat = tf.reshape(h_conv1, [-1, 4 * 4 * 4])
W_fc = weight_variable([64, 2])
b_fc = bias_variable([2])
y = tf.matmul(h_flat, W_fc) + b_fc

cross_entropy = tf.reduce_mean(
    tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y))
train_step = tf.train.AdamOptimizer(1e-2).minimize(cross_entropy)

sess = tf.InteractiveSession()
correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float64))
tf.global_variables_initializer().run()

rng = np.random.RandomState(9)
accuracies = []
for i in range(3):
    batch = rng.normal(size=(6, 16)), np.eye(2)[rng.randint(0, 2, size=6)]
    train_accuracy = accuracy.eval(feed_dict={x: batch[0], y_: batch[1]})
    accuracies.append(train_accuracy)
    train_step.run(feed_dict={x: batch[0], y_: batch[1]})

print('accuracy %g' % accuracy.eval(feed_dict={x: batch[0], y_: batch[1]}))
np.savez(sys.argv[1], accuracies=accuracies, w=W_conv1.eval(), b=sess.run(b_fc),
         entropy=cross_entropy.eval(feed_dict={x: batch[0], y_: batch[1]}))
