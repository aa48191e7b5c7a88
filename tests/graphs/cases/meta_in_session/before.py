"""A meta graph is loaded where a session of its graph is the default one."""
import os
import sys

import numpy as np
import tensorflow as tf


def save(path):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None], name='x')
        w = tf.get_variable('w', initializer=3.0)
        tf.multiply(x, w, name='y')
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            tf.train.Saver().save(sess, path)


def load(path):
    graph = tf.Graph()
    with graph.as_default():
        sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
        with sess.as_default():
            saver = tf.train.import_meta_graph('{}.meta'.format(path))
            saver.restore(sess, path)
            x = graph.get_operation_by_name('x').outputs[0]
            y = graph.get_operation_by_name('y').outputs[0]
            return [sess.run(y, {x: batch}) for batch in ([1.0, 2.0], [3.0, 4.0])]


if __name__ == '__main__':
    output = sys.argv[1]
    folder = os.path.dirname(os.path.abspath(output))
    save(os.path.join(folder, 'model'))
    np.savez(output, y=load(os.path.join(folder, 'model')))
