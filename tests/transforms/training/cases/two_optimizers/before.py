"""Two networks trained in turn, the gradients of one of them clipped."""
import sys

import numpy as np
import tensorflow as tf


def dense(x, size, name):
    with tf.variable_scope(name):
        shape = [x.get_shape().as_list()[1], size]
        w = tf.get_variable('w', dtype=tf.float64,
                            initializer=0.2 * np.cos(np.arange(shape[0] * size)).reshape(shape))
        b = tf.get_variable('b', [size], tf.float64, initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b


def generator(z):
    with tf.variable_scope('gen'):
        return dense(tf.nn.relu(dense(z, 6, 'h')), 3, 'out')


def discriminator(x, reuse=False):
    with tf.variable_scope('disc', reuse=reuse):
        return dense(tf.nn.tanh(dense(x, 5, 'h')), 1, 'out')


def main(output):
    z = tf.placeholder(tf.float64, [None, 2], name='z')
    real = tf.placeholder(tf.float64, [None, 3], name='real')

    fake = generator(z)
    d_real = discriminator(real)
    d_fake = discriminator(fake, reuse=True)

    d_loss = tf.reduce_mean(tf.nn.softplus(-d_real)) + tf.reduce_mean(tf.nn.softplus(d_fake))
    g_loss = tf.reduce_mean(tf.nn.softplus(-d_fake))

    d_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='disc')
    g_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='gen')

    d_train_op = tf.train.GradientDescentOptimizer(0.1).minimize(d_loss, var_list=d_vars)
    g_optimizer = tf.train.AdamOptimizer(0.01, beta1=0.5)
    grads_and_vars = g_optimizer.compute_gradients(g_loss, var_list=g_vars)
    clipped = [(tf.clip_by_norm(g, 0.1), v) for g, v in grads_and_vars]
    g_train_op = g_optimizer.apply_gradients(clipped)

    rng = np.random.RandomState(5)
    history = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            noise = rng.normal(size=(4, 2))
            _, d_value = sess.run([d_train_op, d_loss],
                                  feed_dict={z: noise, real: rng.normal(size=(4, 3))})
            _, g_value = sess.run([g_train_op, g_loss], feed_dict={z: noise})
            history.append((d_value, g_value))
        samples = sess.run(fake, feed_dict={z: noise})
    np.savez(output, history=history, samples=samples)


if __name__ == '__main__':
    main(sys.argv[1])
