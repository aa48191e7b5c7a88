"""Two networks against each other in an object that is given its session; its weights are logged."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import gpu
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import optimizers


def linear(x, size, scope):
    columns = x.get_shape().as_list()[1]
    with scopes.variable_scope(scope):
        matrix = scopes.get_variable('matrix', [columns, size], tf.float64, initializers.constant_initializer(
            np.linspace(-0.1, 0.2, columns * size), tf.float64))
        bias = scopes.get_variable('bias', [size], tf.float64, initializers.zeros_initializer())
        return tf.matmul(x, matrix) + bias


def cross_entropy(logits, label):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
        logits=logits, labels=label * tf.ones_like(logits)))


class Gan(object):

    def __init__(self, noise=3, size=4):
        self._store = scopes.current_store()
        self.noise = noise
        self.size = size
        self.build_model()

    def build_model(self):
        self.saver = checkpoint.Saver()

    def generator(self, z):
        return tf.nn.tanh(linear(tf.nn.softplus(linear(z, 5, 'g_hidden')), self.size, 'g_out'))

    def discriminator(self, x, reuse=False):
        with scopes.variable_scope('d_net', reuse=reuse):
            return linear(tf.nn.softplus(linear(x, 5, 'hidden')), 1, 'out')

    def train(self, steps):
        d_optimizer = optimizers.AdamOptimizer(0.1, beta1=0.5)
        g_optimizer = optimizers.AdamOptimizer(0.1, beta1=0.5)

        @tf.function(input_signature=[
            tf.TensorSpec([None, self.size], tf.float64),
            tf.TensorSpec([None, self.noise], tf.float64),
        ])
        def train_d(real, z):
            """One training step; returns d_loss.

            Args:
                real: float64 [None, self.size]
                z: float64 [None, self.noise]
            """
            with self._store.run(), tf.GradientTape() as tape:
                made = self.generator(z)
                real_logits = self.discriminator(real)
                made_logits = self.discriminator(made, reuse=True)
                d_loss_made = cross_entropy(made_logits, 0.0)
                d_loss = cross_entropy(real_logits, 1.0) + d_loss_made
                variables = scopes.trainable_variables()
                d_vars = [v for v in variables if v.name.startswith('d_')]
            gradients = tape.gradient(d_loss, d_vars)
            d_optimizer.apply_gradients(zip(gradients, d_vars))
            return d_loss

        self._train_d = train_d

        @tf.function(input_signature=[tf.TensorSpec([None, self.noise], tf.float64)])
        def train_g(z):
            """One training step.

            Args:
                z: float64 [None, self.noise]
            """
            with self._store.run(), tf.GradientTape() as tape:
                made = self.generator(z)
                made_logits = self.discriminator(made, reuse=True)
                g_loss = cross_entropy(made_logits, 1.0)
                variables = scopes.trainable_variables()
                g_vars = [v for v in variables if v.name.startswith('g_')]
            gradients = tape.gradient(g_loss, g_vars)
            g_optimizer.apply_gradients(zip(gradients, g_vars))

        self._train_g = train_g

        @tf.function(input_signature=[tf.TensorSpec([None, self.noise], tf.float64)])
        def compute_d_loss_made(z):
            """Computes d_loss_made.

            Args:
                z: float64 [None, self.noise]
            """
            with self._store.run():
                made = self.generator(z)
                made_logits = self.discriminator(made, reuse=True)
                d_loss_made = cross_entropy(made_logits, 0.0)
            return d_loss_made

        self._compute_d_loss_made = compute_d_loss_made

        @tf.function(input_signature=[tf.TensorSpec([None, self.noise], tf.float64)])
        def compute_g_loss(z):
            """Computes g_loss.

            Args:
                z: float64 [None, self.noise]
            """
            with self._store.run():
                made = self.generator(z)
                made_logits = self.discriminator(made, reuse=True)
                g_loss = cross_entropy(made_logits, 1.0)
            return g_loss

        self._compute_g_loss = compute_g_loss

        @tf.function(input_signature=[tf.TensorSpec([None, self.noise], tf.float64)])
        def compute_made(z):
            """Computes made.

            Args:
                z: float64 [None, self.noise]
            """
            with self._store.run():
                made = self.generator(z)
            return made

        self._compute_made = compute_made

        # Tracing makes the variables, which the checkpoint needs.
        self._train_d.get_concrete_function()
        self._train_g.get_concrete_function()

        rng = np.random.RandomState(4)
        history = []
        for _ in range(steps):
            real, z = rng.normal(size=(6, self.size)), rng.normal(size=(6, self.noise))
            d_loss = self._train_d(real, z).numpy()
            self._train_g(z)
            history.append([d_loss, self._compute_d_loss_made(z).numpy(),
                            self._compute_g_loss(z).numpy()])
        return history, self._compute_made(np.ones((2, self.noise))).numpy()


def main(output):
    gpu.configure_gpus('growth')
    gan = Gan()
    variables = scopes.trainable_variables()
    print('trainable:', [v.name for v in variables])
    history, made = gan.train(3)
    np.savez(output, history=history, made=made)


if __name__ == '__main__':
    main(sys.argv[1])
