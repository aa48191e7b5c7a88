"""Prints what random ops give: in a graph and a session on the side before, eagerly on the one after."""

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
EAGER = tf.executing_eagerly()


def pair(old, new):
    """The values of an op on this side."""
    if EAGER:
        return np.asarray(new())
    with tf.Graph().as_default(), v1.Session() as sess:
        return sess.run(old())


def elements(dataset):
    if EAGER:
        return [int(x) for x in dataset()]
    with tf.Graph().as_default(), v1.Session() as sess:
        following = v1.data.make_one_shot_iterator(dataset()).get_next()
        return [int(sess.run(following)) for _ in range(6)]


for name, old, new in (
    ("uniform", lambda: v1.random_uniform([3, 4]), lambda: tf.random.uniform([3, 4], seed=5)),
    ("normal", lambda: v1.random_normal([5], seed=3), lambda: tf.random.normal([5])),
    ("longer", lambda: v1.random_normal([6]), lambda: tf.random.normal([6])),
    ("truncated", lambda: v1.truncated_normal([2, 3]), lambda: tf.random.truncated_normal([2, 3])),
    ("whole", lambda: v1.random_uniform([7], 0, 1000, tf.int32),
     lambda: tf.random.uniform([7], 0, 1000, tf.int32)),
    ("shuffled", lambda: v1.random_shuffle(tf.range(9)), lambda: tf.random.shuffle(tf.range(9))),
    ("chosen", lambda: v1.multinomial([[0.1, 0.2, 0.3]], 5),
     lambda: tf.random.categorical([[0.1, 0.2, 0.3]], 5)),
    ("dropout", lambda: v1.nn.dropout(tf.ones([8]), 0.5), lambda: tf.nn.dropout(tf.ones([8]), 0.5)),
    ("glorot", lambda: v1.glorot_uniform_initializer()([3, 5]),
     lambda: tf.keras.initializers.GlorotUniform()([3, 5])),
    ("keras", lambda: v1.random_normal([4, 4], stddev=0.05),
     lambda: tf.keras.initializers.RandomNormal(0.0, 0.05)([4, 4])),
    ("stateless", lambda: v1.random_normal([4]), lambda: tf.random.stateless_normal([4], [1, 2])),
):  # fmt: skip
    print(name, " ".join("%.7g" % float(v) for v in np.ravel(pair(old, new))))
print("dataset", elements(lambda: tf.data.Dataset.range(6).shuffle(6)))
print("again", elements(lambda: tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, 2))))
