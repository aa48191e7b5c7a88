"""A Wasserstein GAN: contrib's optimize_loss trains, weights are clipped after each update."""
import sys

import numpy as np
import tensorflow as tf

import networks
from tf1_support import graphs
from tf1_support import iterators
from tf1_support import contrib_training
from tf1_support import optimizers
from tf1_support import scopes


def build_graph(values):
    noise = graphs.placeholder(tf.float32, shape=(2, 4))
    real = iterators.make_one_shot_iterator(networks.batches(values)).get_next()
    with scopes.variable_scope('generator'):
        fake = networks.generate(noise)
    c_loss = tf.reduce_mean(networks.criticize(fake) - networks.criticize(real, reuse=True))
    g_loss = tf.reduce_mean(-networks.criticize(fake, reuse=True))
    theta_g = scopes.get_collection(scopes.GraphKeys.TRAINABLE_VARIABLES, scope='generator')
    theta_c = scopes.get_collection(scopes.GraphKeys.TRAINABLE_VARIABLES, scope='critic')
    counter = scopes.Variable(trainable=False, initial_value=0, dtype=tf.int32)
    opt_g = contrib_training.optimize_loss(loss=g_loss, learning_rate=0.05, optimizer=optimizers.RMSPropOptimizer,
                             variables=theta_g, global_step=counter, summaries=['gradient_norm'])
    opt_c = contrib_training.optimize_loss(loss=c_loss, learning_rate=0.05, optimizer='Adam',
                             variables=theta_c, global_step=counter, clip_gradients=1.0)
    with tf.control_dependencies([opt_c]):
        clipped = [var.assign(tf.clip_by_value(var, -0.3, 0.3)) for var in theta_c]
    average_op, average = networks.averaged(theta_g, opt_g)
    return noise, opt_g, tf.tuple(clipped), average_op, average, c_loss, g_loss, counter


@graphs.building
def main(output):
    rng = np.random.RandomState(0)
    values = rng.uniform(size=(6, 3)).astype(np.float32)
    noise, opt_g, opt_c, average_op, average, c_loss, g_loss, counter = build_graph(values)
    trained, losses, averages = [], [], []
    compute_average = graphs.function([], average)
    for _ in range(3):
        feed = {noise: rng.normal(size=(2, 4))}
        graphs.run(opt_c, feed_dict=feed)
        trained.append(graphs.run([opt_g, average_op], feed_dict=feed)[0])
        losses.append(graphs.run([c_loss, g_loss], feed_dict=feed))
        averages.append(compute_average())
    steps = graphs.run(counter)
    np.savez(output, trained=trained, losses=losses, averages=averages, steps=steps)


if __name__ == '__main__':
    main(sys.argv[1])
