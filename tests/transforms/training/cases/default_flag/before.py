"""Dropout-free batch norm network whose mode is a placeholder with a default."""
import sys

import numpy as np
import tensorflow as tf

is_training = tf.placeholder_with_default(False, [], name='is_training')
images = tf.placeholder(tf.float64, [None, 5], name='images')
labels = tf.placeholder(tf.float64, [None, 1], name='labels')
rate = tf.placeholder_with_default(0.1, shape=[], name='rate')

kernel = np.sin(np.arange(20.0)).reshape(5, 4)
hidden = tf.layers.dense(images, 4, kernel_initializer=tf.constant_initializer(kernel),
                         name='hidden')
hidden = tf.layers.batch_normalization(hidden, momentum=0.8, training=is_training, name='norm')
hidden = tf.nn.relu(hidden)
outputs = tf.layers.dense(hidden, 1, kernel_initializer=tf.constant_initializer(0.2),
                          name='outputs')
loss = tf.losses.mean_squared_error(labels, outputs)

update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss)

rng = np.random.RandomState(8)
data = rng.normal(size=(12, 5))
target = rng.normal(size=(12, 1))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = []
    for step in range(3):
        feed = {images: data, labels: target, is_training: True, rate: 0.1 / (step + 1)}
        _, value = sess.run([train_op, loss], feed_dict=feed)
        losses.append(value)
    predicted = sess.run(outputs, feed_dict={images: data})

np.savez(sys.argv[1], losses=losses, predicted=predicted)
