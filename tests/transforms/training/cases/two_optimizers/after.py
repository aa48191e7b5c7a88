"""Two networks trained in turn, the gradients of one of them clipped."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import optimizers


def dense(x, size, name):
    with scopes.variable_scope(name):
        shape = [x.get_shape().as_list()[1], size]
        w = scopes.get_variable('w', dtype=tf.float64,
                                initializer=0.2 * np.cos(np.arange(shape[0] * size)).reshape(shape))
        b = scopes.get_variable('b', [size], tf.float64, initializer=initializers.zeros_initializer())
        return tf.matmul(x, w) + b


def generator(z):
    with scopes.variable_scope('gen'):
        return dense(tf.nn.relu(dense(z, 6, 'h')), 3, 'out')


def discriminator(x, reuse=False):
    with scopes.variable_scope('disc', reuse=reuse):
        return dense(tf.nn.tanh(dense(x, 5, 'h')), 1, 'out')


def main(output):
    d_optimizer = optimizers.GradientDescentOptimizer(0.1)
    g_optimizer = optimizers.AdamOptimizer(0.01, beta1=0.5)
    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, 2], tf.float64),
        tf.TensorSpec([None, 3], tf.float64),
    ])
    def train_d(z, real):
        """One training step; returns d_loss.

        Args:
            z: float64 [None, 2]
            real: float64 [None, 3]
        """
        with store.run(), tf.GradientTape() as tape:
            fake = generator(z)
            d_real = discriminator(real)
            d_fake = discriminator(fake, reuse=True)
            d_loss = tf.reduce_mean(tf.nn.softplus(-d_real)) + tf.reduce_mean(tf.nn.softplus(d_fake))
            d_vars = scopes.get_collection(scopes.GraphKeys.TRAINABLE_VARIABLES, scope='disc')
        gradients = tape.gradient(d_loss, d_vars)
        d_optimizer.apply_gradients(zip(gradients, d_vars))
        return d_loss

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float64)])
    def train_g(z):
        """One training step; returns g_loss.

        Args:
            z: float64 [None, 2]
        """
        with store.run(), tf.GradientTape() as tape:
            fake = generator(z)
            d_fake = discriminator(fake, reuse=True)
            g_loss = tf.reduce_mean(tf.nn.softplus(-d_fake))
            g_vars = scopes.get_collection(scopes.GraphKeys.TRAINABLE_VARIABLES, scope='gen')
        gradients = tape.gradient(g_loss, g_vars)
        grads_and_vars = list(zip(gradients, g_vars))
        clipped = [(tf.clip_by_norm(g, 0.1), v) for g, v in grads_and_vars]
        g_optimizer.apply_gradients(clipped)
        return g_loss

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float64)])
    def compute_fake(z):
        """Computes fake.

        Args:
            z: float64 [None, 2]
        """
        with store.run():
            fake = generator(z)
        return fake

    rng = np.random.RandomState(5)
    history = []
    for _ in range(3):
        noise = rng.normal(size=(4, 2))
        d_value = train_d(noise, rng.normal(size=(4, 3))).numpy()
        g_value = train_g(noise).numpy()
        history.append((d_value, g_value))
    samples = compute_fake(noise).numpy()
    np.savez(output, history=history, samples=samples)


if __name__ == '__main__':
    main(sys.argv[1])
