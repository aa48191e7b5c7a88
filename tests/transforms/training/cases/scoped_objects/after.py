"""Two networks of one class in one graph: the variables of each are in a scope of its own."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
class Network(object):
    def __init__(self, scope, size):
        with scopes.variable_scope(scope):
            self._build(size)
        graphs.run(graphs.global_variables_initializer())

    def _build(self, size):
        first = initializers.constant_initializer(np.linspace(-1.0, 1.2, 3 * size))
        second = initializers.constant_initializer(np.linspace(-0.5, 0.7, size))
        self.x = graphs.placeholder(tf.float64, [None, 3], name='x')
        self.y = graphs.placeholder(tf.float64, [None], name='y')
        hidden = layers.dense(self.x, size, kernel_initializer=first)
        score = layers.dense(tf.nn.relu(hidden), 1, kernel_initializer=second)
        self.score = tf.squeeze(score, axis=1)
        self.loss = tf.reduce_mean(tf.math.squared_difference(self.score, self.y))
        self.train_op = optimizers.RMSPropOptimizer(0.02).minimize(self.loss)

    def update(self, x, y):
        train_step = graphs.function([self.x, self.y], [self.train_op, self.loss])
        _, loss = train_step(x, y)
        return loss

    def predict(self, x):
        compute_score = graphs.function([self.x], self.score)
        return compute_score(x)


def main(output):
    rng = np.random.RandomState(5)
    x, y = rng.uniform(size=(6, 3)), rng.uniform(size=6)
    first, second = Network('first', 3), Network('second', 3)
    losses = [first.update(x, y) for _ in range(3)]
    losses.append(second.update(x, y))
    np.savez(output, losses=losses, scores=[first.predict(x), second.predict(x)])


if __name__ == '__main__':
    main(sys.argv[1])
