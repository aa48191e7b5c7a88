"""Trains and saves a named graph, then runs it again from its meta graph alone."""
import os
import sys

import numpy as np
import tensorflow as tf


def train(path, data, labels):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [None, 4], name='x')
        y = tf.placeholder(tf.float64, [None, 2], name='y')
        w = tf.get_variable('w', dtype=tf.float64,
                            initializer=np.linspace(-1, 1, 8).reshape(4, 2))
        prediction = tf.nn.softmax(tf.matmul(x, w), name='prediction')
        loss = tf.reduce_mean(tf.square(prediction - y))
        train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(train_op, feed_dict={x: data, y: labels})
            saver.save(sess, path)


def predict(path, data):
    with tf.Graph().as_default() as graph:
        with tf.Session() as sess:
            saver = tf.train.import_meta_graph(path + '.meta')
            saver.restore(sess, path)
            x = graph.get_tensor_by_name('x:0')
            prediction = graph.get_tensor_by_name('prediction:0')
            return sess.run(prediction, feed_dict={x: data})


def main(output):
    path = os.path.join(os.path.dirname(os.path.abspath(output)), 'named.ckpt')
    rng = np.random.RandomState(13)
    data, labels = rng.normal(size=(5, 4)), rng.uniform(size=(5, 2))
    train(path, data, labels)
    np.savez(output, predicted=predict(path, data))


if __name__ == '__main__':
    main(sys.argv[1])
