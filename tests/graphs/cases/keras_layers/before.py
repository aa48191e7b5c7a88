"""Layers of Keras in a graph: their variables are the graph's, under the layers' names."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super(Net, self).__init__()
        self.scan = tf.keras.layers.Conv2D(3, 3, kernel_initializer=tf.constant_initializer(0.1))
        self.norm = tf.keras.layers.BatchNormalization()
        self.last = tf.keras.layers.Dense(2, kernel_initializer=tf.constant_initializer(0.2))

    def call(self, x, training=False):
        return self.last(tf.layers.flatten(self.norm(self.scan(x), training=training)))


def sequence(x):
    with tf.variable_scope('plain'):
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(4, kernel_initializer=tf.constant_initializer(0.3)),
            tf.keras.layers.Dropout(0.5),
            tf.keras.layers.Dense(2, kernel_initializer=tf.constant_initializer(0.1))])
        return model(x)


def build():
    x = tf.placeholder(tf.float32, [None, 5, 5, 1])
    with tf.variable_scope('net'):
        logits = Net()(x)
    both = tf.layers.dense(logits + sequence(logits), 1, name='head',
                           kernel_initializer=tf.ones_initializer())
    return x, tf.reduce_mean(tf.square(both - 1.0))


def main(output):
    x, loss = build()
    step = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    decayed = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if 'bias' not in v.name])
    saver = tf.train.Saver()
    data = np.linspace(0, 1, 50).reshape(2, 5, 5, 1).astype(np.float32)
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            _, now, sum_of_weights = sess.run([step, loss, decayed], {x: data})
            losses.append([now, sum_of_weights])
        path = saver.save(sess, os.path.join(tempfile.mkdtemp(), 'model'))
        names = [v.name for v in tf.trainable_variables()]
    with tf.Graph().as_default():
        x, loss = build()
        with tf.Session() as sess:
            tf.train.Saver().restore(sess, path)
            losses.append([sess.run(loss, {x: data}), 0.0])
    saved = sorted(name for name, _ in tf.train.list_variables(path))
    np.savez(output, losses=losses[1:], names=np.array(names), saved=np.array(saved))


main(sys.argv[1])
