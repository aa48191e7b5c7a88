"""An object whose methods give parts of the graph; a code is fed in place of being computed."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers
from tf1_support import scopes


class Autoencoder(object):

    def __init__(self, sizes, rate=0.05):
        self.sizes = sizes
        self.rate = rate
        self._create_network()
        self._create_optimizer()

    def _create_network(self):
        self.weights = self._weights(**self.sizes)

    def _weights(self, input, code):
        weights = dict()
        weights['encoder'] = {
            'mean': scopes.Variable(np.linspace(-0.5, 0.5, input * code).reshape(input, code)),
            'sigma': scopes.Variable(np.linspace(0.5, -0.2, input * code).reshape(input, code))}
        weights['decoder'] = {'w': scopes.Variable(np.full([code, input], 0.2))}
        return weights

    def _encoder(self, weights, x):
        return tf.matmul(x, weights['mean']), tf.matmul(x, weights['sigma'])

    def _decoder(self, weights, code):
        return tf.sigmoid(tf.matmul(code, weights['w']))

    def _create_optimizer(self):
        self.bias = scopes.Variable(np.zeros(1), name='bias')
        optimizer = optimizers.AdamOptimizer(self.rate)

        @tf.function(input_signature=[tf.TensorSpec([None, self.sizes['input']], tf.float64)])
        def train_step(x):
            """One training step; returns cost.

            Args:
                x: float64 [None, self.sizes['input']]
            """
            with tf.GradientTape() as tape:
                # the code and how sure it is
                mean, log_sigma = self._encoder(self.weights['encoder'], x=x)
                code = mean + 0.1 * tf.exp(log_sigma)
                decoded = self._decoder(self.weights['decoder'], code=code)
                cost = tf.reduce_mean(tf.square(x - decoded - self.bias))
            gradients = tape.gradient(cost, tape.watched_variables())
            optimizer.apply_gradients(zip(gradients, tape.watched_variables()))
            return cost

        self._train_step = train_step

        @tf.function(input_signature=[tf.TensorSpec([None, self.sizes['input']], tf.float64)])
        def compute_mean(x):
            """Computes mean.

            Args:
                x: float64 [None, self.sizes['input']]
            """
            # the code and how sure it is
            mean, log_sigma = self._encoder(self.weights['encoder'], x=x)
            return mean

        self._compute_mean = compute_mean

        @tf.function(input_signature=[tf.TensorSpec(None, tf.float64)])
        def compute_decoded(code):
            """Computes decoded.

            Args:
                code: float64 of any shape
            """
            return self._decoder(self.weights['decoder'], code=code)

        self._compute_decoded = compute_decoded

        @tf.function(input_signature=[tf.TensorSpec([None, self.sizes['input']], tf.float64)])
        def evaluate_step(x):
            """Computes decoded.

            Args:
                x: float64 [None, self.sizes['input']]
            """
            # the code and how sure it is
            mean, log_sigma = self._encoder(self.weights['encoder'], x=x)
            code = mean + 0.1 * tf.exp(log_sigma)
            return self._decoder(self.weights['decoder'], code=code)

        self._evaluate_step = evaluate_step

    def partial_fit(self, batch):
        """Train on a batch; the cost before."""
        cost = self._train_step(batch).numpy()
        return cost

    def transform(self, batch):
        return self._compute_mean(batch).numpy()

    def generate(self, count):
        code = tf.linspace(-1.0, 1.0, count * self.sizes['code']).numpy()
        return self._compute_decoded(code.reshape(count, -1)).numpy()

    def reconstruct(self, batch):
        return self._evaluate_step(batch).numpy()


def main(output):
    data = np.random.RandomState(3).uniform(0, 1, (12, 5))
    coder = Autoencoder({'input': 5, 'code': 2})
    costs = [coder.partial_fit(data[i:i + 4]) for i in (0, 4, 8)]
    np.savez(output, costs=costs, codes=coder.transform(data), generated=coder.generate(3),
             decoded=coder.reconstruct(data[:2]))


if __name__ == '__main__':
    main(sys.argv[1])
