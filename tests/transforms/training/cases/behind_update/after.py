"""Two networks of which one waits for the other's step: its gradient goes through what that step left."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import moving_averages
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
def main(output):
    z = graphs.placeholder(tf.float32, [4, 2], name='z')
    real = graphs.placeholder(tf.float32, [4, 3], name='real')
    with scopes.variable_scope('generator'):
        w = scopes.get_variable('w', initializer=0.3 * np.cos(np.arange(6)).reshape(2, 3).astype('f'))
        fake = tf.tanh(tf.matmul(z, w))
    with scopes.variable_scope('discriminator'):
        flat = scopes.get_variable('flat', initializer=np.cos(np.arange(6)).astype('f'))
        v = scopes.get_variable('v', initializer=np.sin(np.arange(2)).reshape(2, 1).astype('f'))

        def judge(x):
            return tf.matmul(tf.nn.relu(tf.matmul(x, tf.reshape(flat, [3, 2]))), v)

        judged_real, judged_fake = judge(real), judge(fake)
    d_loss = tf.reduce_mean(tf.nn.softplus(-judged_real) + tf.nn.softplus(judged_fake))
    g_loss = tf.reduce_mean(tf.nn.softplus(-judged_fake))
    d_train = optimizers.AdamOptimizer(0.3).minimize(d_loss, var_list=[flat, v])
    with tf.control_dependencies([d_train]):
        optimizer = optimizers.GradientDescentOptimizer(0.5)
        gradients = optimizer.compute_gradients(g_loss, var_list=[w])
        g_train = optimizer.apply_gradients(gradients)
    averages = moving_averages.ExponentialMovingAverage(0.9)
    averaged = averages.apply([d_loss, g_loss])
    train = tf.group(g_train, averaged)

    rng = np.random.RandomState(5)
    history = []
    train_step = graphs.function([z, real], [train, d_loss, g_loss, gradients[0][0]])
    for _ in range(4):
        _, d_value, g_value, gradient = train_step(rng.normal(size=(4, 2)),
                                                   rng.normal(size=(4, 3)))
        history.append((d_value, g_value, gradient.sum()))
    average = graphs.run([averages.average(d_loss), averages.average(g_loss)])
    weights = graphs.run([w, flat, v])
    np.savez(output, history=history, average=average, **{f'w{i}': x for i, x in enumerate(weights)})


if __name__ == '__main__':
    main(sys.argv[1])
