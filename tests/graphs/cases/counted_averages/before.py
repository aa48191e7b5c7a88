"""Averages whose decay goes by a counter: beside its increment, behind it, and in training; names of tf.div."""
import sys

import numpy as np
import tensorflow as tf


def network():
    x = tf.placeholder(tf.float32, [None], name="x")
    with tf.variable_scope("net"):
        w = tf.get_variable("w", initializer=1.0)
    share = tf.div(tf.reduce_sum(x), 3.0)
    rest = tf.div(tf.reduce_sum(tf.cast(x, tf.int32)), 2, name="rest")
    return x, w, tf.reduce_mean(x * w), share, rest


def beside(x, w, loss, share):
    counter = tf.Variable(0, trainable=False)
    short = tf.train.ExponentialMovingAverage(0.0, counter)
    long = tf.train.ExponentialMovingAverage(0.95, counter)
    step = tf.group(counter.assign_add(1), short.apply([share, loss]), long.apply([share, loss]))
    return step, [short.average(share), long.average(share), long.average(loss)]


def behind(x, w, loss, share):
    counter = tf.Variable(0, trainable=False)
    long = tf.train.ExponentialMovingAverage(0.95, counter)
    with tf.control_dependencies([tf.assign_add(counter, 1)]):
        step = long.apply([share])
    return step, [long.average(share)]


def training(x, w, loss, share):
    counter = tf.train.get_or_create_global_step()
    slow = tf.train.ExponentialMovingAverage(0.95, counter)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(loss), global_step=counter)
    with tf.control_dependencies([train]):
        step = slow.apply([w])
    return step, [slow.average(w), w]


def main(path):
    found = {}
    for build in (beside, behind, training):
        with tf.Graph().as_default():
            x, w, loss, share, rest = network()
            step, values = build(x, w, loss, share)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for batch in ([1.0, 2.0], [3.0, 5.0], [2.0, 0.5]):
                    sess.run(step, feed_dict={x: batch})
                for i, value in enumerate(sess.run(values)):
                    found["%s_%d" % (build.__name__, i)] = value
                found[build.__name__ + "_rest"] = sess.run(rest, {x: [3.0, 4.0]})
            found[build.__name__ + "_names"] = sorted(
                [v.op.name for v in tf.global_variables()] + [share.op.name, rest.op.name])
    np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv[1])
