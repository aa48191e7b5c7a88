"""Towers that share weights ask for the penalties of their own scope: the first one has them all."""
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def network(images):
    penalty = slim.l2_regularizer(0.1)
    with slim.arg_scope([slim.conv2d, slim.separable_conv2d, slim.conv2d_transpose],
                        weights_regularizer=penalty, biases_regularizer=penalty,
                        weights_initializer=tf.constant_initializer(0.1)):
        net = slim.conv2d(images, 3, [3, 3], scope='first')
        with tf.variable_scope('block', values=[net]):
            net = slim.separable_conv2d(net, 3, [3, 3], 1, scope='both')
            net = slim.separable_conv2d(net, None, [3, 3], 1, scope='alone')
            net = slim.conv2d_transpose(net, 2, [3, 3], scope='back')
    net = tf.layers.conv2d(net, 2, 3, name='plain', kernel_regularizer=penalty,
                           kernel_initializer=tf.constant_initializer(0.2))
    net = tf.layers.dense(tf.layers.flatten(net), 3, name='last', kernel_regularizer=penalty,
                          kernel_initializer=tf.constant_initializer(0.3))
    with tf.variable_scope('own'):
        weights = tf.get_variable('w', [3, 2], regularizer=penalty, initializer=tf.ones_initializer())
    return tf.matmul(net, weights)


def tower_loss(images, labels, scope):
    logits = network(images)
    tf.losses.sparse_softmax_cross_entropy(labels, logits)
    losses = tf.get_collection(tf.GraphKeys.LOSSES, scope)
    penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES, scope)
    return tf.add_n(losses + penalties, name='total'), [p.op.name for p in penalties]


def main(output):
    random = np.random.RandomState(2)
    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, [4, 6, 6, 1])
        labels = tf.placeholder(tf.int64, [4])
        optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
        gradients, losses, names = [], [], []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(2):
                with tf.name_scope('tower_%d' % i) as scope:
                    loss, found = tower_loss(images[2 * i:2 * i + 2], labels[2 * i:2 * i + 2], scope)
                    tf.get_variable_scope().reuse_variables()
                    losses.append(loss)
                    names.append(found)
                    gradients.append(optimizer.compute_gradients(loss))
        average = [(tf.add_n([g for g, _ in pairs]) / 2, pairs[0][1]) for pairs in zip(*gradients)]
        train_op = optimizer.apply_gradients(average)
        every = [p.op.name for p in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)]
        results = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feed = {images: random.rand(4, 6, 6, 1), labels: [0, 1, 1, 0]}
            for _ in range(3):
                sess.run(train_op, feed)
                results.append(sess.run(losses, feed))
    np.savez(output, losses=results, first=names[0], second=len(names[1]), every=every)


if __name__ == '__main__':
    main(sys.argv[1])
