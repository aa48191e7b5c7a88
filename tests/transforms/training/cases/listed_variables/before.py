"""Two networks against each other in an object that is given its session; its weights are logged."""
import sys

import numpy as np
import tensorflow as tf


def linear(x, size, scope):
    columns = x.get_shape().as_list()[1]
    with tf.variable_scope(scope):
        matrix = tf.get_variable('matrix', [columns, size], tf.float64, tf.constant_initializer(
            np.linspace(-0.1, 0.2, columns * size), tf.float64))
        bias = tf.get_variable('bias', [size], tf.float64, tf.zeros_initializer())
        return tf.matmul(x, matrix) + bias


def cross_entropy(logits, label):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
        logits=logits, labels=label * tf.ones_like(logits)))


class Gan(object):

    def __init__(self, sess, noise=3, size=4):
        self.sess = sess
        self.noise = noise
        self.size = size
        self.build_model()

    def build_model(self):
        self.real = tf.placeholder(tf.float64, [None, self.size], name='real')
        self.z = tf.placeholder(tf.float64, [None, self.noise], name='z')
        self.made = self.generator(self.z)
        real_logits = self.discriminator(self.real)
        made_logits = self.discriminator(self.made, reuse=True)
        self.d_loss_made = cross_entropy(made_logits, 0.0)
        self.d_loss = cross_entropy(real_logits, 1.0) + self.d_loss_made
        self.g_loss = cross_entropy(made_logits, 1.0)
        variables = tf.trainable_variables()
        self.d_vars = [v for v in variables if v.name.startswith('d_')]
        self.g_vars = [v for v in variables if v.name.startswith('g_')]
        self.saver = tf.train.Saver()

    def generator(self, z):
        return tf.nn.tanh(linear(tf.nn.softplus(linear(z, 5, 'g_hidden')), self.size, 'g_out'))

    def discriminator(self, x, reuse=False):
        with tf.variable_scope('d_net', reuse=reuse):
            return linear(tf.nn.softplus(linear(x, 5, 'hidden')), 1, 'out')

    def train(self, steps):
        d_optim = tf.train.AdamOptimizer(0.1, beta1=0.5).minimize(
            self.d_loss, var_list=self.d_vars)
        g_optim = tf.train.AdamOptimizer(0.1, beta1=0.5).minimize(
            self.g_loss, var_list=self.g_vars)
        try:
            tf.global_variables_initializer().run()
        except AttributeError:
            tf.initialize_all_variables().run()
        rng = np.random.RandomState(4)
        history = []
        for _ in range(steps):
            real, z = rng.normal(size=(6, self.size)), rng.normal(size=(6, self.noise))
            _, d_loss = self.sess.run([d_optim, self.d_loss], {self.real: real, self.z: z})
            self.sess.run(g_optim, feed_dict={self.z: z})
            history.append([d_loss, self.d_loss_made.eval({self.z: z}),
                            self.g_loss.eval({self.z: z})])
        return history, self.sess.run(self.made, {self.z: np.ones((2, self.noise))})


def main(output):
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    with tf.Session(config=config) as sess:
        gan = Gan(sess)
        variables = tf.trainable_variables()
        print('trainable:', [v.name for v in variables])
        history, made = gan.train(3)
    np.savez(output, history=history, made=made)


if __name__ == '__main__':
    main(sys.argv[1])
