"""A matrix factorisation that builds where it is fitted."""
import numpy as np
import tensorflow as tf

from sessions import get_session
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import losses as tf1_losses
from tf1_support import optimizers
from tf1_support import scopes


def embed(name, count, size):
    start = np.linspace(-0.5, 0.5, count * size).reshape(count, size)
    return scopes.get_variable(name, initializer=start)


@graphs.building
class Factors(object):
    def __init__(self, users, items, size=2):
        self.users, self.items, self.size = users, items, size
        self.loss = None

    def _build(self):
        with scopes.variable_scope('factors'):
            self.left = embed('left', self.users, self.size)
            self.right = embed('right', self.items, self.size)
        self.ratings = graphs.placeholder(tf.float64, [self.users, self.items], name='ratings')
        self.rate = graphs.placeholder(tf.float64, [], name='rate')
        self.predicted = tf.matmul(self.left, self.right, transpose_b=True)
        self.loss = tf1_losses.mean_squared_error(self.ratings, self.predicted)
        self.step = optimizers.AdamOptimizer(tf.cast(self.rate, tf.float32)).minimize(self.loss)

    def fit(self, ratings, epochs, rate=0.1):
        session = get_session()
        if self.loss is None:
            self._build()
            graphs.run(graphs.global_variables_initializer())
        losses = []
        run_step = graphs.function([self.ratings, self.rate], [self.step, self.loss])
        for _ in range(epochs):
            _, loss = run_step(ratings, rate)
            losses.append(loss)
        return losses

    def predict(self):
        return graphs.run(self.predicted)

    def save(self, prefix):
        return checkpoint.Saver().save(prefix)

    def restore(self, prefix):
        if self.loss is None:
            self._build()
        checkpoint.Saver().restore(prefix)
