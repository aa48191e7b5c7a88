"""Sparse placeholders, fed as three arrays and as a SparseTensorValue."""
import sys

import numpy as np
import tensorflow as tf


def words(rows, dtype):
    indices = [(row, column) for row, columns in enumerate(rows) for column in columns]
    return np.array(indices), np.ones(len(indices), dtype), [len(rows), 6]


def main(output):
    x = tf.sparse_placeholder(tf.float64, shape=[None, 6], name='x')
    y = tf.placeholder(tf.float64, [None], name='y')
    w = tf.Variable(np.linspace(-1.0, 1.0, 6).reshape(6, 1), name='w')
    predicted = tf.sparse_tensor_dense_matmul(x, w)[:, 0]
    loss = tf.reduce_mean(tf.square(predicted - y))
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss)
    total = tf.sparse_reduce_sum(x)
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for rows in ([[0, 2], [1]], [[5], [3, 4], [0]], [[1, 2, 3]]):
            feed = {x: words(rows, np.int32), y: np.arange(len(rows))}
            _, value = sess.run([train_op, loss], feed)
            losses.append(value)
        after = sess.run(predicted, feed_dict=feed)
        indices, values, shape = words([[4], [4, 5]], np.float32)
        count = sess.run(total, feed_dict={x: tf.SparseTensorValue(indices, values, shape)})
    np.savez(output, losses=losses, after=after, count=count)


if __name__ == '__main__':
    main(sys.argv[1])
