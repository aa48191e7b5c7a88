"""A Wasserstein GAN: contrib's optimize_loss trains, weights are clipped after each update."""
import sys

import numpy as np
import tensorflow as tf
import tensorflow.contrib.layers as ly

import networks


def build_graph(values):
    noise = tf.placeholder(tf.float32, shape=(2, 4))
    real = networks.batches(values)
    with tf.variable_scope('generator'):
        fake = networks.generate(noise)
    c_loss = tf.reduce_mean(networks.criticize(fake) - networks.criticize(real, reuse=True))
    g_loss = tf.reduce_mean(-networks.criticize(fake, reuse=True))
    theta_g = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='generator')
    theta_c = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='critic')
    counter = tf.Variable(trainable=False, initial_value=0, dtype=tf.int32)
    opt_g = ly.optimize_loss(loss=g_loss, learning_rate=0.05, optimizer=tf.train.RMSPropOptimizer,
                             variables=theta_g, global_step=counter, summaries=['gradient_norm'])
    opt_c = ly.optimize_loss(loss=c_loss, learning_rate=0.05, optimizer='Adam',
                             variables=theta_c, global_step=counter, clip_gradients=1.0)
    with tf.control_dependencies([opt_c]):
        clipped = [tf.assign(var, tf.clip_by_value(var, -0.3, 0.3)) for var in theta_c]
    average_op, average = networks.averaged(theta_g, opt_g)
    return noise, opt_g, tf.tuple(clipped), average_op, average, c_loss, g_loss, counter


def main(output):
    rng = np.random.RandomState(0)
    values = rng.uniform(size=(6, 3)).astype(np.float32)
    noise, opt_g, opt_c, average_op, average, c_loss, g_loss, counter = build_graph(values)
    trained, losses, averages = [], [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            feed = {noise: rng.normal(size=(2, 4))}
            sess.run(opt_c, feed_dict=feed)
            trained.append(sess.run([opt_g, average_op], feed_dict=feed)[0])
            losses.append(sess.run([c_loss, g_loss], feed_dict=feed))
            averages.append(sess.run(average))
        steps = sess.run(counter)
    np.savez(output, trained=trained, losses=losses, averages=averages, steps=steps)


if __name__ == '__main__':
    main(sys.argv[1])
