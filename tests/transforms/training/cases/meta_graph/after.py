"""Trains and saves a named graph, then runs it again from its meta graph alone."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import meta_graph
from tf1_support import checkpoint
from tf1_support import optimizers
from tf1_support import scopes
from tf1_support import sessions


def train(path, data, labels):
    with graphs.Graph().as_default():
        x = graphs.placeholder(tf.float64, [None, 4], name='x')
        y = graphs.placeholder(tf.float64, [None, 2], name='y')
        w = scopes.get_variable('w', dtype=tf.float64,
                                initializer=np.linspace(-1, 1, 8).reshape(4, 2))
        prediction = tf.nn.softmax(tf.matmul(x, w), name='prediction')
        loss = tf.reduce_mean(tf.square(prediction - y))
        train_op = optimizers.GradientDescentOptimizer(0.5).minimize(loss)
        saver = checkpoint.Saver()
        with sessions.Session() as sess:
            train_step = graphs.function([x, y], train_op)
            for _ in range(3):
                train_step(data, labels)
            saver.save(path)


def predict(path, data):
    graph = meta_graph.MetaGraph(path + '.meta')
    graph.restore(path)
    x = 'x:0'
    prediction = 'prediction:0'
    return graph.run(prediction, feed_dict={x: data})


def main(output):
    path = os.path.join(os.path.dirname(os.path.abspath(output)), 'named.ckpt')
    rng = np.random.RandomState(13)
    data, labels = rng.normal(size=(5, 4)), rng.uniform(size=(5, 2))
    train(path, data, labels)
    np.savez(output, predicted=predict(path, data))


if __name__ == '__main__':
    main(sys.argv[1])
