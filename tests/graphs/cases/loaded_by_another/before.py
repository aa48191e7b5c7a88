"""Loads frozen graphs in one function, and runs them in another."""
import os
import sys

import numpy as np
import tensorflow as tf


def freeze(path):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name='x')
        weights = tf.constant(np.linspace(-1, 1, 6).astype(np.float32).reshape(3, 2))
        tf.nn.softmax(tf.matmul(x, weights), name='softmax')
    with tf.gfile.GFile(path, 'wb') as f:
        f.write(graph.as_graph_def().SerializeToString())


def create_graph(path):
    with tf.gfile.FastGFile(path, 'rb') as f:
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(f.read())
        _ = tf.import_graph_def(graph_def, name='')


def run_inference(path, data):
    create_graph(path)
    with tf.Session() as sess:
        softmax = sess.graph.get_tensor_by_name('softmax:0')
        return sess.run(softmax, {'x:0': data})


class Net(object):

    def __init__(self, path=None):
        self.graph = tf.Graph()
        with self.graph.as_default():
            if path is None:
                self.build()
            else:
                self.load(path)
            self.sess = tf.Session()
            self.sess.run(tf.global_variables_initializer())

    def build(self):
        self.inp = tf.placeholder(tf.float32, [None, 3])
        scale = tf.get_variable('scale', initializer=np.float32(1.5))
        self.out = tf.nn.softmax(self.inp * scale)

    def load(self, path):
        graph_def = tf.GraphDef()
        with open(path, 'rb') as f:
            graph_def.ParseFromString(f.read())
        tf.import_graph_def(graph_def, name='')
        self.inp = tf.get_default_graph().get_tensor_by_name('x:0')
        self.out = tf.get_default_graph().get_tensor_by_name('softmax:0')


def predict(net, data):
    return net.sess.run(net.out, {net.inp: data})


class Detector(object):

    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            graph_def = tf.GraphDef()
            with tf.gfile.GFile(path, 'rb') as f:
                graph_def.ParseFromString(f.read())
            tf.import_graph_def(graph_def, name='')
        self.sess = tf.Session(graph=self.graph)
        self.out = self.graph.get_tensor_by_name('softmax:0')


def main(output_path):
    path = os.path.join(os.path.dirname(os.path.abspath(output_path)), 'frozen.pb')
    data = np.random.RandomState(0).rand(5, 3).astype(np.float32)
    freeze(path)
    detector = Detector(path)
    np.savez(output_path, default=run_inference(path, data), built=predict(Net(), data),
             loaded=predict(Net(path), data), held=detector.sess.run(detector.out, {'x:0': data}))


if __name__ == '__main__':
    main(sys.argv[1])
