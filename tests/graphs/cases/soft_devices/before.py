"""Devices that a machine lacks, under variables that are made before the session says that placement is soft;
and a rate whose decay takes no steps, in a branch that is not taken."""
import sys

import numpy as np
import tensorflow as tf


def where(size):
    return "/cpu:0" if size > 100 else "/gpu:0"


def network(x):
    with tf.variable_scope("embeddings", initializer=tf.random_uniform_initializer(1.0, 1.0)):
        with tf.device(where(3)):
            table = tf.get_variable("table", [3, 2], tf.float32)
        with tf.device("/cpu:0"):
            with tf.device("/gpu:1"):
                scale = tf.Variable(2.0, name="scale")
    with tf.device("/gpu:0"):
        found = tf.nn.embedding_lookup(table, x) * scale
    cell = tf.contrib.rnn.DeviceWrapper(tf.nn.rnn_cell.BasicLSTMCell(2), "/gpu:2")
    with tf.variable_scope("rnn", initializer=tf.constant_initializer(0.1)):
        return tf.nn.dynamic_rnn(cell, found[None], dtype=tf.float32)[0]


def rate(step):
    return tf.cond(
        step < 100, lambda: tf.constant(0.1),
        lambda: tf.train.exponential_decay(tf.constant(0.1), step - 100, 0, 1.0, staircase=True))


def main(path):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.int32, [None])
        y = network(x)
        loss = tf.reduce_sum(tf.square(y))
        step = tf.train.get_or_create_global_step()
        with tf.device("/gpu:0"):
            train = tf.train.GradientDescentOptimizer(rate(step)).minimize(loss, global_step=step)
    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(graph=graph, config=config) as sess:
        with graph.as_default():
            sess.run(tf.global_variables_initializer())
            devices = ["%s %s" % (v.name, v.op.device) for v in tf.trainable_variables()]
        losses = [sess.run([train, loss], {x: [0, 2, i % 3]})[1] for i in range(3)]
        np.savez(path, losses=losses, y=sess.run(y, {x: [1, 2]}), devices=devices)


if __name__ == "__main__":
    main(sys.argv[1])
