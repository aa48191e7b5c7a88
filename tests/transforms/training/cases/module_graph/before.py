"""The graph is at module level, functions open sessions on it."""
import sys

import numpy as np
import tensorflow as tf

BATCH = 4

inputs = tf.placeholder(tf.float64, [BATCH, 3])
targets = tf.placeholder(tf.float64, [BATCH])

weights = {
    'hidden': tf.Variable(0.1 * np.arange(12.0).reshape(3, 4)),
    'out': tf.Variable(np.linspace(-0.5, 0.5, 4).reshape(4, 1)),
}


def network(x):
    hidden = tf.nn.sigmoid(tf.matmul(x, weights['hidden']))
    return tf.squeeze(tf.matmul(hidden, weights['out']), axis=1)


outputs = network(inputs)
cost = tf.reduce_sum(tf.pow(outputs - targets, 2)) / (2 * BATCH)
optimizer = tf.train.AdamOptimizer(learning_rate=0.01).minimize(cost)


def data(step):
    rng = np.random.RandomState(step)
    return rng.normal(size=(BATCH, 3)), rng.normal(size=BATCH)


def main(path):
    init = tf.global_variables_initializer()
    costs = []
    with tf.Session() as sess:
        sess.run(init)
        for step in range(3):
            x, y = data(step)
            sess.run(optimizer, feed_dict={inputs: x, targets: y})
            costs.append(sess.run(cost, feed_dict={inputs: x, targets: y}))
        final = sess.run(weights)
    np.savez(path, costs=costs, hidden=final['hidden'], out=final['out'])


if __name__ == '__main__':
    main(sys.argv[1])
