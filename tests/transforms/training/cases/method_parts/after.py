"""An object whose methods give parts of the graph; a code is fed in place of being computed."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
class Autoencoder(object):

    def __init__(self, sizes, rate=0.05):
        self.sizes = sizes
        self.rate = rate
        self.x = graphs.placeholder(tf.float64, [None, sizes['input']])
        self._create_network()
        self._create_optimizer()

    def _create_network(self):
        weights = self._weights(**self.sizes)
        # the code and how sure it is
        self.mean, self.log_sigma = self._encoder(weights['encoder'])
        self.code = self.mean + 0.1 * tf.exp(self.log_sigma)
        self.decoded = self._decoder(weights['decoder'])

    def _weights(self, input, code):
        weights = dict()
        weights['encoder'] = {
            'mean': scopes.Variable(np.linspace(-0.5, 0.5, input * code).reshape(input, code)),
            'sigma': scopes.Variable(np.linspace(0.5, -0.2, input * code).reshape(input, code))}
        weights['decoder'] = {'w': scopes.Variable(np.full([code, input], 0.2))}
        return weights

    def _encoder(self, weights):
        return tf.matmul(self.x, weights['mean']), tf.matmul(self.x, weights['sigma'])

    def _decoder(self, weights):
        return tf.sigmoid(tf.matmul(self.code, weights['w']))

    def _create_optimizer(self):
        self.bias = scopes.Variable(np.zeros(1), name='bias')
        self.cost = tf.reduce_mean(tf.square(self.x - self.decoded - self.bias))
        self.optimizer = optimizers.AdamOptimizer(self.rate).minimize(self.cost)

    def partial_fit(self, batch):
        """Train on a batch; the cost before."""
        optimizer_step = graphs.function([self.x], (self.optimizer, self.cost))
        _, cost = optimizer_step(batch)
        return cost

    def transform(self, batch):
        compute_mean = graphs.function([self.x], self.mean)
        return compute_mean(batch)

    def generate(self, count):
        code = graphs.run(tf.linspace(-1.0, 1.0, count * self.sizes['code']))
        compute_decoded = graphs.function([self.code], self.decoded)
        return compute_decoded(code.reshape(count, -1))

    def reconstruct(self, batch):
        compute_decoded = graphs.function([self.x], self.decoded)
        return compute_decoded(batch)


def main(output):
    data = np.random.RandomState(3).uniform(0, 1, (12, 5))
    coder = Autoencoder({'input': 5, 'code': 2})
    costs = [coder.partial_fit(data[i:i + 4]) for i in (0, 4, 8)]
    np.savez(output, costs=costs, codes=coder.transform(data), generated=coder.generate(3),
             decoded=coder.reconstruct(data[:2]))


if __name__ == '__main__':
    main(sys.argv[1])
