import sys

import numpy as np
import tensorflow as tf

from model import Model
from network import classify

rows = np.arange(6, dtype=np.float32).reshape(2, 3)


def by_object():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 3])
        training = tf.placeholder(tf.bool, [])
        factor = tf.placeholder(tf.float32, [])
        model = Model(x, training)
        scaled = model.scaled(factor)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = saver.save(sess, "./object")
            on = sess.run(scaled, feed_dict={x: rows, factor: 3.0, training: True})
            off = sess.run(scaled, feed_dict={x: rows, factor: 3.0, training: False})
    return len(tf.train.list_variables(path)), on, off


def by_function():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 3])
        training = tf.placeholder(tf.bool, [])
        logits = classify(x, training)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = saver.save(sess, "./function")
            on = sess.run(logits, feed_dict={x: rows, training: True})
            off = sess.run(logits, feed_dict={x: rows, training: False})
    return len(tf.train.list_variables(path)), on, off


if __name__ == "__main__":
    object_saved, object_on, object_off = by_object()
    function_saved, function_on, function_off = by_function()
    np.savez(
        sys.argv[1], object_saved=object_saved, object_on=object_on, object_off=object_off,
        function_saved=function_saved, function_on=function_on, function_off=function_off,
    )
