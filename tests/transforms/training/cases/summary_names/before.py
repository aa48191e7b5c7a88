"""Summaries that are called like operations, variables and scopes, in scopes that a step takes apart."""
import os
import re
import sys

import numpy as np
import tensorflow as tf


def spread(values):
    with tf.name_scope('spread'):
        mean = tf.reduce_mean(values)
        tf.summary.scalar('mean', mean)
        with tf.name_scope('deviation'):
            deviation = tf.sqrt(tf.reduce_mean(tf.square(values - mean)))
        tf.summary.scalar('deviation', deviation)
        tf.summary.scalar('largest', tf.reduce_max(values))


def tags(folder):
    found = set()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), 'rb') as stream:
            data = stream.read()
        for start in re.finditer(b'\n(.)(?=shown/)', data, re.DOTALL):
            found.add(data[start.end():start.end() + ord(start.group(1))].decode())
    return sorted(found)


def main(output):
    logdir = os.path.join(os.path.dirname(output), 'logs')
    x = tf.placeholder(tf.float64, [None, 3], name='data')
    rate = tf.placeholder(tf.float64, [])
    with tf.name_scope('shown'):
        w = tf.Variable(np.array([[0.5], [-0.25], [1.0]]), name='w')
        tf.summary.histogram('w', w)
        tf.summary.histogram('weights', w)
        spread(w)
        y = tf.matmul(x, w)
        with tf.variable_scope('first') as scope:
            y *= tf.get_variable('v', [], tf.float64, tf.constant_initializer(1.5))
            tf.summary.histogram('y', y)
        with tf.variable_scope('second') as scope:
            y += tf.get_variable('v', [], tf.float64, tf.constant_initializer(0.25))
            tf.summary.histogram('y', y)
        with tf.name_scope('cost'):
            loss = tf.reduce_mean(tf.square(y), name='loss')
            tf.summary.scalar('loss', loss)
            tf.summary.scalar('half', loss / 2)
        tf.summary.scalar('rate', rate)
        tf.summary.scalar('cost', loss)
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    merged = tf.summary.merge_all()
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter(logdir)
        for i in range(3):
            data = np.cos(np.arange(6.0) + i).reshape(2, 3)
            summary, value, _ = sess.run([merged, loss, train_op], feed_dict={x: data, rate: 0.1})
            writer.add_summary(summary, i)
            losses.append(value)
        writer.close()
    np.savez(output, losses=losses, tags=tags(logdir))


if __name__ == '__main__':
    main(sys.argv[1])
