"""Runs whatever network of another module it is given."""
import sys

import model
import numpy as np
import tensorflow as tf


def run(network, data):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [None, 3], name='x')
        step = tf.train.get_or_create_global_step()
        fetches = getattr(model, network)(x, step)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [sess.run(fetches, {x: data + i})[1] for i in range(4)]
            names = sorted(v.name for v in tf.trainable_variables())
            values = {v.name: v for v in tf.trainable_variables()}
            sums = [np.sum(sess.run(values[name])) for name in names]
    return losses, names, sums


def main(output):
    found = {}
    data = np.sin(np.arange(6.0)).reshape(2, 3)
    for network in ('warm_up', 'averaged', 'looped'):
        losses, names, sums = run(network, data)
        found.update({network: losses, network + '_names': names, network + '_sums': sums})
    np.savez(output, **found)


if __name__ == '__main__':
    main(sys.argv[1])
