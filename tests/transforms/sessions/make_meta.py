"""Writes a checkpoint with its meta graph, as a training script with TensorFlow 1.15 left it.

    MIGRATOR_TF1_PYTHON=... python tests/transforms/sessions/record.py
"""

import sys

import numpy as np
import tensorflow as tf


def main(path):
    x = tf.placeholder(tf.float64, [None, 4], name="input/x")
    y = tf.placeholder(tf.float64, [None], name="input/y")
    keep_prob = tf.placeholder_with_default(tf.constant(1.0, tf.float64), [], name="keep_prob")
    w = tf.get_variable("w", initializer=np.linspace(-1, 1, 8).reshape(4, 2))
    v = tf.get_variable("v", initializer=np.linspace(0.5, 1, 2).reshape(2, 1))
    dropped = tf.nn.dropout(tf.tanh(tf.matmul(x, w)), keep_prob)
    hidden = tf.identity(dropped, name="hidden")
    prediction = tf.squeeze(tf.matmul(hidden, v), 1, name="prediction")
    loss = tf.reduce_mean(tf.square(prediction - y), name="loss")
    step = tf.train.get_or_create_global_step()
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, step, name="train")
    tf.add_to_collection("predictions", prediction)
    random = np.random.RandomState(7)
    data, targets = random.normal(size=(6, 4)), random.normal(size=6)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(sess.graph.get_operation_by_name("train"), {x: data, y: targets})
        saver.save(sess, path, write_state=False)


if __name__ == "__main__":
    main(sys.argv[1])
