"""Two networks against each other in an object that is given its session; its weights are logged."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import gpu
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes


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
        self.noise = noise
        self.size = size
        self.build_model()

    def build_model(self):
        self.real = graphs.placeholder(tf.float64, [None, self.size], name='real')
        self.z = graphs.placeholder(tf.float64, [None, self.noise], name='z')
        self.made = self.generator(self.z)
        real_logits = self.discriminator(self.real)
        made_logits = self.discriminator(self.made, reuse=True)
        self.d_loss_made = cross_entropy(made_logits, 0.0)
        self.d_loss = cross_entropy(real_logits, 1.0) + self.d_loss_made
        self.g_loss = cross_entropy(made_logits, 1.0)
        variables = scopes.trainable_variables()
        self.d_vars = [v for v in variables if v.name.startswith('d_')]
        self.g_vars = [v for v in variables if v.name.startswith('g_')]
        self.saver = checkpoint.Saver()

    def generator(self, z):
        return tf.nn.tanh(linear(tf.nn.softplus(linear(z, 5, 'g_hidden')), self.size, 'g_out'))

    def discriminator(self, x, reuse=False):
        with scopes.variable_scope('d_net', reuse=reuse):
            return linear(tf.nn.softplus(linear(x, 5, 'hidden')), 1, 'out')

    def train(self, steps):
        d_optim = optimizers.AdamOptimizer(0.1, beta1=0.5).minimize(
            self.d_loss, var_list=self.d_vars)
        g_optim = optimizers.AdamOptimizer(0.1, beta1=0.5).minimize(
            self.g_loss, var_list=self.g_vars)
        try:
            graphs.run(graphs.global_variables_initializer())
        except AttributeError:
            graphs.run(graphs.global_variables_initializer())
        rng = np.random.RandomState(4)
        history = []
        d_step = graphs.function([self.real, self.z], [d_optim, self.d_loss])
        g_step = graphs.function([self.z], g_optim)
        compute_d_loss_made = graphs.function([self.z], self.d_loss_made)
        compute_g_loss = graphs.function([self.z], self.g_loss)
        for _ in range(steps):
            real, z = rng.normal(size=(6, self.size)), rng.normal(size=(6, self.noise))
            _, d_loss = d_step(real, z)
            g_step(z)
            history.append([d_loss, compute_d_loss_made(z),
                            compute_g_loss(z)])
        compute_made = graphs.function([self.z], self.made)
        return history, compute_made(np.ones((2, self.noise)))


@graphs.building
def main(output):
    gpu.configure_gpus('growth')
    gan = Gan()
    variables = scopes.trainable_variables()
    print('trainable:', [v.name for v in variables])
    history, made = gan.train(3)
    np.savez(output, history=history, made=made)


if __name__ == '__main__':
    main(sys.argv[1])
