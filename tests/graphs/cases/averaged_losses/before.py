"""Averages of losses and of a variable, in checkpoints under TF 1's names; a Saver that writes its graph."""
import os
import sys

import numpy as np
import tensorflow as tf

if not os.path.isdir("kept"):
    os.makedirs("kept")


def model():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    with tf.variable_scope("net"):
        w = tf.get_variable("w", initializer=np.float32([0.5, -0.25]))
    with tf.name_scope("losses"):
        fit = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, axis=1)))
        size = tf.reduce_mean(tf.abs(w))
    return x, w, fit, size


def trained(loss, *first):
    with tf.name_scope("train"), tf.control_dependencies(first):
        return tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def train(batches):
    x, w, fit, size = model()
    ema = tf.train.ExponentialMovingAverage(decay=0.9)
    follow = ema.apply([fit, size])
    slow = tf.train.ExponentialMovingAverage(0.5, zero_debias=True, name="slow")
    with tf.variable_scope("kept"):
        follow_more = slow.apply([size])
    with tf.control_dependencies([trained(fit + size, follow, follow_more)]):
        step = ema.apply([w])
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch in batches:
            sess.run(step, feed_dict={x: batch})
        found = sess.run([ema.average(fit), ema.average(size), ema.average(w), slow.average(size)])
        saver.save(sess, "kept/model", write_meta_graph=False)
        saver.export_meta_graph("kept/other.meta")
    return found


def go_on(batch):
    x, w, fit, size = model()
    ema = tf.train.ExponentialMovingAverage(decay=0.9)
    follow = trained(fit + size, ema.apply([size, fit]))
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, "kept/model")
        before = sess.run([ema.average(fit), ema.average(size)])
        sess.run(follow, {x: batch})
        return before + sess.run([ema.average(fit), w])


def imported():
    with tf.Graph().as_default():
        saver = tf.train.import_meta_graph("kept/other.meta")
        with tf.Session() as sess:
            saver.restore(sess, "kept/model")
            return sess.run("losses/Mean:0", {"x:0": [[1.0, 1.0]]})


if __name__ == "__main__":
    random = np.random.RandomState(0)
    batches = [random.rand(4, 2).astype(np.float32) for _ in range(3)]
    with tf.Graph().as_default():
        found = train(batches)
    names = sorted(name for name, shape in tf.train.list_variables("kept/model"))
    with tf.Graph().as_default():
        again = go_on(batches[0])
    results = dict(("found_%d" % i, value) for i, value in enumerate(found))
    results.update(("again_%d" % i, value) for i, value in enumerate(again))
    np.savez(sys.argv[1], names=names, imported=imported(), **results)
