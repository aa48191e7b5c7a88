"""A network that is a graph: its class extends tf.Graph, and opens an interactive session of itself. Another
one is loaded into such an object from a file that the first one froze."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import freezing
from tf1_support import optimizers
from tf1_support import scopes
from tf1_support import sessions


class Trained(graphs.Graph):
    def __init__(self, rate):
        super(Trained, self).__init__()
        self.rate = rate
        self.begin()

    def begin(self):
        self.sess = sessions.InteractiveSession(graph=self)

    def build(self):
        self.x = graphs.placeholder(tf.float32, [None, 3], name='x')
        self.y = graphs.placeholder(tf.float32, [None, 1], name='y')
        with scopes.variable_scope('layer'):
            w = scopes.Variable(tf.constant([[0.1], [-0.2], [0.3]]), name='w')
            b = scopes.Variable(tf.zeros([1]), name='b')
        self.output = tf.add(tf.matmul(self.x, w), b, name='output')
        self.loss = tf.reduce_mean(tf.square(self.output - self.y))
        self.step = optimizers.GradientDescentOptimizer(self.rate).minimize(self.loss)
        self.saver = checkpoint.Saver()

    def start(self):
        graphs.run(graphs.global_variables_initializer())

    def train(self, x, y):
        run_step = graphs.function([self.x, self.y], [self.step, self.loss])
        return run_step(x, y)[1]

    def freeze(self, path):
        frozen = freezing.convert_variables_to_constants(self.sess, self.as_graph_def(), ['output'])
        with tf.io.gfile.GFile(path, 'wb') as f:
            f.write(frozen.SerializeToString())

    def load(self, path):
        with tf.io.gfile.GFile(path, 'rb') as f:
            graph_def = graph_pb2.GraphDef()
            graph_def.ParseFromString(f.read())
        with self.as_default() as graph:
            tf.import_graph_def(graph_def, name='prefix')
        self.x = self.get_tensor_by_name('prefix/x:0')
        self.output = self.get_tensor_by_name('prefix/output:0')
        self.sess.close()
        self.begin()

    def ask(self, x):
        compute_output = graphs.function([self.x], self.output)
        return compute_output(x)


@graphs.building
def main(path):
    draw = np.random.RandomState(0)
    x = draw.normal(size=(6, 3)).astype('f')
    y = x.sum(1, keepdims=True)
    trained = Trained(0.1)
    trained.build()
    trained.start()
    losses = [trained.train(x, y) for _ in range(4)]
    names = [v.name for v in scopes.trainable_variables()]
    answers = trained.ask(x)
    trained.freeze('frozen.pb')
    trained.sess.close()
    loaded = Trained(0.1)
    loaded.load('frozen.pb')
    np.savez(path, losses=losses, names=names, answers=answers, loaded=loaded.ask(x),
             graphs=[isinstance(loaded, graphs.Graph), loaded is not trained])


if __name__ == '__main__':
    main(sys.argv[1])
