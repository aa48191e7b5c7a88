"""Batch norm and dropout switched by a placeholder; the statistics are never updated."""
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float64, [None, 4])
y = tf.placeholder(tf.float64, [None, 1])
is_training = tf.placeholder(tf.bool, name='is_training')
keep_prob = tf.placeholder_with_default(1.0, [], name='keep_prob')


def initializer(shape, dtype=None, partition_info=None):
    return tf.constant(0.4 * np.sin(1.0 + np.arange(np.prod(shape))).reshape(shape), dtype)


net = tf.layers.dense(x, 6, kernel_initializer=initializer)
net = tf.layers.batch_normalization(net, training=is_training)
net = tf.nn.dropout(tf.nn.elu(net), tf.cast(keep_prob, tf.float64))
out = tf.layers.dense(net, 1, kernel_initializer=initializer)
loss = tf.losses.mean_squared_error(y, out)
train_op = tf.train.AdagradOptimizer(0.1).minimize(loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
rng = np.random.RandomState(7)
losses = []
for i in range(3):
    xs, ys = rng.normal(size=(5, 4)), rng.normal(size=(5, 1))
    losses.append(sess.run([loss, train_op], feed_dict={x: xs, y: ys, is_training: True})[0])
    test_loss = sess.run(loss, feed_dict={x: xs, y: ys, is_training: False, keep_prob: 1.0})
    losses.append(test_loss)
result = out.eval(session=sess, feed_dict={x: xs, is_training: False})
sess.close()
np.savez(sys.argv[1], losses=losses, result=result)
