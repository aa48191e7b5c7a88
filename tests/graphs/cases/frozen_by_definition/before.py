"""Freezes a graph that is being built, with averages that a checkpoint has, and reshapes what it restores."""
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.tools import freeze_graph


def net(x):
    with tf.variable_scope('net'):
        hidden = tf.layers.dense(x, 2, kernel_initializer=tf.ones_initializer(), name='hidden')
        scale = tf.get_variable('scale', initializer=np.float32(1.5))
    return tf.nn.softmax(hidden * scale + tf.constant([0.1, 0.2]), name='output')


def train(path, data):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3], name='x')
        output = net(x)
        step = tf.train.GradientDescentOptimizer(2.0).minimize(tf.reduce_mean(tf.square(output[:, 0] - 1.0)))
        with tf.control_dependencies([step]):
            averaged = tf.train.ExponentialMovingAverage(0.5).apply(tf.trainable_variables())
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(averaged, feed_dict={x: data})
            saver.save(sess, path)


def export(path, target, averages):
    """Freezes the network without training; the averages stand for the variables, if asked for."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3], name='x')
        net(x)
        if averages:
            saver = tf.train.Saver(tf.train.ExponentialMovingAverage(0.5).variables_to_restore())
        else:
            saver = tf.train.Saver()
        freeze_graph.freeze_graph_with_def_protos(
            tf.get_default_graph().as_graph_def(), saver.as_saver_def(), path, 'output', restore_op_name='save/restore_all',
            filename_tensor_name='save/Const:0', output_graph=target, clear_devices=True, initializer_nodes='')


def reshaped(path):
    """The kernel of the checkpoint as a row, saved under a number of eight digits."""
    with tf.Graph().as_default():
        row = tf.Variable(tf.zeros([6]), name='row')
        saver = tf.train.Saver({'net/hidden/kernel': row}, reshape=True, pad_step_number=True)
        with tf.Session() as sess:
            saver.restore(sess, path)
            saver.save(sess, path.replace('model', 'again'), global_step=7)
            return sess.run(row)


def use(path, data):
    graph_def = tf.GraphDef()
    with tf.gfile.GFile(path, 'rb') as stream:
        graph_def.ParseFromString(stream.read())
    with tf.Graph().as_default():
        output, = tf.import_graph_def(graph_def, return_elements=['output:0'], name='')
        with tf.Session() as sess:
            return sess.run(output, feed_dict={'x:0': data})


def main(output_path):
    folder = os.path.dirname(os.path.abspath(output_path))
    path = os.path.join(folder, 'model.ckpt')
    data = np.random.RandomState(0).rand(4, 3).astype(np.float32)
    train(path, data)
    plain, averaged = os.path.join(folder, 'plain.pb'), os.path.join(folder, 'averaged.pb')
    export(path, plain, False)
    export(path, averaged, True)
    np.savez(output_path, plain=use(plain, data), averaged=use(averaged, data),
             reshaped=reshaped(path), files=[name for name in sorted(os.listdir(folder)) if 'again' in name])


if __name__ == '__main__':
    main(sys.argv[1])
