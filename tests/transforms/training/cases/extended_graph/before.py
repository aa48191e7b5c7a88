"""A network that is a graph: its class extends tf.Graph, and opens an interactive session of itself. Another
one is loaded into such an object from a file that the first one froze."""
import sys

import numpy as np
import tensorflow as tf


class Trained(tf.Graph):
    def __init__(self, rate):
        super(Trained, self).__init__()
        self.rate = rate
        self.begin()

    def begin(self):
        self.sess = tf.InteractiveSession(graph=self)

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 3], name='x')
        self.y = tf.placeholder(tf.float32, [None, 1], name='y')
        with tf.variable_scope('layer'):
            w = tf.Variable(tf.constant([[0.1], [-0.2], [0.3]]), name='w')
            b = tf.Variable(tf.zeros([1]), name='b')
        self.output = tf.add(tf.matmul(self.x, w), b, name='output')
        self.loss = tf.reduce_mean(tf.square(self.output - self.y))
        self.step = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)
        self.saver = tf.train.Saver()

    def start(self):
        self.sess.run(tf.global_variables_initializer())

    def train(self, x, y):
        return self.sess.run([self.step, self.loss], {self.x: x, self.y: y})[1]

    def freeze(self, path):
        frozen = tf.graph_util.convert_variables_to_constants(self.sess, self.as_graph_def(), ['output'])
        with tf.gfile.GFile(path, 'wb') as f:
            f.write(frozen.SerializeToString())

    def load(self, path):
        with tf.gfile.GFile(path, 'rb') as f:
            graph_def = tf.GraphDef()
            graph_def.ParseFromString(f.read())
        with self.as_default() as graph:
            tf.import_graph_def(graph_def, name='prefix')
        self.x = self.get_tensor_by_name('prefix/x:0')
        self.output = self.get_tensor_by_name('prefix/output:0')
        self.sess.close()
        self.begin()

    def ask(self, x):
        return self.sess.run(self.output, {self.x: x})


def main(path):
    draw = np.random.RandomState(0)
    x = draw.normal(size=(6, 3)).astype('f')
    y = x.sum(1, keepdims=True)
    trained = Trained(0.1)
    trained.build()
    trained.start()
    losses = [trained.train(x, y) for _ in range(4)]
    names = [v.name for v in tf.trainable_variables()]
    answers = trained.ask(x)
    trained.freeze('frozen.pb')
    trained.sess.close()
    loaded = Trained(0.1)
    loaded.load('frozen.pb')
    np.savez(path, losses=losses, names=names, answers=answers, loaded=loaded.ask(x),
             graphs=[isinstance(loaded, tf.Graph), loaded is not trained])


if __name__ == '__main__':
    main(sys.argv[1])
