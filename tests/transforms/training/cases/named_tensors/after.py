"""An object that is asked for tensors by their names."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
class Model(object):

    def __init__(self, size):
        self.x = graphs.placeholder(tf.float64, [None, size], name='x')
        self.y = graphs.placeholder(tf.float64, [None], name='y')
        with scopes.variable_scope('linear'):
            self.w = scopes.get_variable('w', initializer=np.linspace(0.0, 1.0, size))
        self.prediction = tf.reduce_sum(self.x * self.w, 1, name='prediction')
        self.loss = tf.reduce_mean(tf.square(self.prediction - self.y), name='loss')
        optimizer = optimizers.MomentumOptimizer(0.1, 0.9)
        self.train_op = optimizer.minimize(self.loss)

    def fit(self, data, targets):
        train_step = graphs.function([self.x, self.y], [self.train_op, self.loss])
        return train_step(data, targets)[1]

    def fetch(self, name, data):
        graph = graphs.default_graph()
        return graphs.run(graph.get_tensor_by_name(name + ':0'), {self.x: data})


def main(output):
    rng = np.random.RandomState(22)
    data, targets = rng.normal(size=(5, 3)), rng.normal(size=5)
    model = Model(3)
    losses = [model.fit(data, targets) for _ in range(3)]
    np.savez(output, losses=losses, prediction=model.fetch('prediction', data))


if __name__ == '__main__':
    main(sys.argv[1])
