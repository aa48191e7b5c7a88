"""A convolutional network in the style of the first tutorials: every weight has the same seed."""
import sys

import numpy as np
import tensorflow as tf

SEED = 66478


def weight_variable(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1, seed=SEED, dtype=tf.float64))


def main(path):
    rng = np.random.RandomState(0)
    images = rng.rand(6, 8, 8, 1)
    labels = np.eye(3)[rng.randint(0, 3, 6)]

    x = tf.placeholder(tf.float64, [None, 8, 8, 1])
    y = tf.placeholder(tf.float64, [None, 3])
    conv1 = weight_variable([3, 3, 1, 4])
    conv2 = weight_variable([3, 3, 4, 4])
    fc_weights = tf.Variable(tf.random_normal([64, 3], 0.0, 0.1, tf.float64, SEED))
    fc_biases = tf.Variable(tf.random_normal([3], 0.0, 0.1, tf.float64, SEED))
    noise = tf.Variable(tf.random_uniform([3], -0.1, 0.1, tf.float64, seed=1))

    net = tf.nn.relu(tf.nn.conv2d(x, conv1, [1, 2, 2, 1], 'SAME'))
    net = tf.nn.relu(tf.nn.conv2d(net, conv2, [1, 1, 1, 1], 'SAME'))
    logits = tf.matmul(tf.reshape(net, [-1, 64]), fc_weights) + fc_biases + noise
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
    train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run([conv1, conv2, fc_weights, fc_biases, noise])
        for _ in range(3):
            _, value = sess.run([train_op, loss], feed_dict={x: images, y: labels})
            losses.append(value)
        scores = sess.run(logits, {x: images})
    np.savez(path, losses=losses, scores=scores, sums=[v.sum() for v in first])


if __name__ == '__main__':
    main(sys.argv[1])
