"""Two networks of which one waits for the other's step: its gradient goes through what that step left."""
import sys

import numpy as np
import tensorflow as tf

tf.disable_resource_variables()


def main(output):
    z = tf.placeholder(tf.float32, [4, 2], name='z')
    real = tf.placeholder(tf.float32, [4, 3], name='real')
    with tf.variable_scope('generator'):
        w = tf.get_variable('w', initializer=0.3 * np.cos(np.arange(6)).reshape(2, 3).astype('f'))
        fake = tf.tanh(tf.matmul(z, w))
    with tf.variable_scope('discriminator'):
        flat = tf.get_variable('flat', initializer=np.cos(np.arange(6)).astype('f'))
        v = tf.get_variable('v', initializer=np.sin(np.arange(2)).reshape(2, 1).astype('f'))

        def judge(x):
            return tf.matmul(tf.nn.relu(tf.matmul(x, tf.reshape(flat, [3, 2]))), v)

        judged_real, judged_fake = judge(real), judge(fake)
    d_loss = tf.reduce_mean(tf.nn.softplus(-judged_real) + tf.nn.softplus(judged_fake))
    g_loss = tf.reduce_mean(tf.nn.softplus(-judged_fake))
    d_train = tf.train.AdamOptimizer(0.3).minimize(d_loss, var_list=[flat, v])
    with tf.control_dependencies([d_train]):
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        gradients = optimizer.compute_gradients(g_loss, var_list=[w])
        g_train = optimizer.apply_gradients(gradients)
    averages = tf.train.ExponentialMovingAverage(0.9)
    averaged = averages.apply([d_loss, g_loss])
    train = tf.group(g_train, averaged)

    rng = np.random.RandomState(5)
    history = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            _, d_value, g_value, gradient = sess.run(
                [train, d_loss, g_loss, gradients[0][0]],
                feed_dict={z: rng.normal(size=(4, 2)), real: rng.normal(size=(4, 3))})
            history.append((d_value, g_value, gradient.sum()))
        average = sess.run([averages.average(d_loss), averages.average(g_loss)])
        weights = sess.run([w, flat, v])
    np.savez(output, history=history, average=average, **{f'w{i}': x for i, x in enumerate(weights)})


if __name__ == '__main__':
    main(sys.argv[1])
