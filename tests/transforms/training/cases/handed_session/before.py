"""The session is handed to the functions that run the graph."""
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float64, [None, 2], name='x')
y = tf.placeholder(tf.float64, [None], name='y')
w = tf.Variable(np.array([0.5, -0.5]), name='w')
prediction = tf.reduce_sum(x * w, axis=1)
loss = tf.reduce_mean(tf.square(prediction - y))
train_op = tf.train.AdamOptimizer(0.05).minimize(loss)


def train_epoch(sess, batches):
    """Trains on every batch; returns the mean loss."""
    total = 0.0
    for batch_x, batch_y in batches:
        _, value = sess.run([train_op, loss], feed_dict={x: batch_x, y: batch_y})
        total += value
    return total / len(batches)


def evaluate(batch, session=None):
    return session.run(prediction, feed_dict={x: batch})


def main(output):
    rng = np.random.RandomState(3)
    batches = [(rng.normal(size=(4, 2)), rng.normal(size=4)) for _ in range(3)]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        means = [train_epoch(sess, batches) for _ in range(2)]
        predicted = evaluate(batches[0][0], session=sess)
    np.savez(output, means=means, predicted=predicted)


if __name__ == '__main__':
    main(sys.argv[1])
