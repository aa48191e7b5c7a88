"""First values at the beginning, and again: after training, after what was restored, for each agent."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf


class Agent:
    def __init__(self, name, sess):
        with tf.variable_scope(name):
            self.steps = tf.get_variable("steps", [2], initializer=tf.ones_initializer())
            self.step = self.steps.assign_add([1.0, 1.0])
        self.sess = sess
        self.sess.run(tf.global_variables_initializer())

    def act(self):
        return self.sess.run(self.step)


class Net:
    """With a session of its own in a graph of its own."""

    def __init__(self):
        with tf.Graph().as_default():
            self.value = tf.Variable(np.float32([1, 2]))
            self.grow = tf.assign(self.value, self.value * 2)
            self._prepare()
            self.sess = tf.Session()
            self.sess.run(tf.global_variables_initializer())

    def _prepare(self):
        self.double = self.value * 2

    def go(self):
        self.sess.run(self.grow)
        return self.sess.run(self.double)


def main(output):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
    count = tf.get_variable("count", [], tf.int32, tf.constant_initializer(7), collections=["local_variables"])
    first = tf.Variable(w.initialized_value() * 2, name="first")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w))) + 0.0 * tf.reduce_sum(first)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    batch, results, path = np.ones((2, 3), np.float32), {}, None
    saver, folder = tf.train.Saver(), tempfile.mkdtemp()
    init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    with tf.Session() as sess:
        if path is not None:
            saver.restore(sess, path)
        else:
            sess.run(init)
        results["started"] = [*sess.run([count, loss], {x: batch}), sess.run(first).sum()]
        results["trained"] = [sess.run([train, loss], {x: batch})[1] for _ in range(3)]
        saver.save(sess, os.path.join(folder, "m"))
        sess.run(tf.global_variables_initializer())
        results["again"] = sess.run([loss, w], {x: batch})[1]
    with tf.Session() as sess:
        saver.restore(sess, os.path.join(folder, "m"))
        results["restored"] = sess.run(w)
        sess.run(tf.global_variables_initializer())
        results["lost"] = sess.run(w)
    with tf.Session() as sess:
        one = Agent("one", sess)
        results["one"] = [one.act(), one.act()]
        other = Agent("other", sess)
        results["both"] = [other.act(), one.act()]
    results["nets"] = [(net.go(), net.go()) for net in (Net(), Net())]
    np.savez(output, **results)


if __name__ == "__main__":
    main(sys.argv[1])
