"""Freezes what it trained, with control flow and lookups of rows, and runs the file again."""
import os
import sys

import numpy as np
import tensorflow as tf


def build(training):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    index = tf.placeholder(tf.int32, [None], name='index')
    table = tf.get_variable('table', initializer=np.arange(12, dtype=np.float32).reshape(4, 3) / 7)
    with tf.variable_scope('net'):
        w = tf.get_variable('w', initializer=np.linspace(-1, 1, 6).astype(np.float32).reshape(3, 2))
        scale = tf.get_variable('scale', initializer=np.float32(1.5))
    row = tf.nn.embedding_lookup(table, index, name='row')
    hidden = tf.matmul(x + row, w)
    picked = tf.cond(tf.reduce_sum(hidden) > 0, lambda: hidden * scale, lambda: hidden - scale)
    output = tf.nn.softmax(picked, name='output')
    loss = tf.reduce_mean(tf.square(output[:, 0] - 1.0))
    return x, index, output, loss


class Exporter(object):

    def __init__(self, sess, path):
        self.sess = sess
        self.path = path

    def export(self, names):
        definition = self.sess.graph.as_graph_def()
        frozen = tf.graph_util.convert_variables_to_constants(self.sess, definition, names)
        with tf.gfile.GFile(self.path, 'wb') as f:
            f.write(frozen.SerializeToString())
        return sorted(node.op for node in frozen.node if 'Variable' in node.op or 'Handle' in node.op)


def load(path, data, index):
    with tf.Graph().as_default() as graph:
        definition = tf.GraphDef()
        with open(path, 'rb') as f:
            definition.ParseFromString(f.read())
        output, = tf.import_graph_def(definition, name='frozen', return_elements=['output:0'])
        doubled = output * 2.0
        with tf.Session(graph=graph) as sess:
            return sess.run(doubled, {'frozen/x:0': data, 'frozen/index:0': index})


def main(output_path):
    path = os.path.join(os.path.dirname(os.path.abspath(output_path)), 'frozen.pb')
    data, index = np.random.RandomState(0).rand(5, 3).astype(np.float32), [0, 1, 2, 3, 1]
    with tf.Session() as sess:
        x, index_of, output, loss = build(True)
        train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            sess.run(train, {x: data, index_of: index})
        before = sess.run(output, {x: data, index_of: index})
        left = Exporter(sess, path).export(['output'])
        tf.train.write_graph(sess.graph_def, os.path.dirname(path), 'graph.pbtxt')
    again = load(path, data, index)
    np.savez(output_path, before=before, again=again, left=len(left),
             text=os.path.exists(os.path.join(os.path.dirname(path), 'graph.pbtxt')))


if __name__ == '__main__':
    main(sys.argv[1])
