"""The networks of both players, and what trains one of them."""
import numpy as np
import tensorflow as tf
import tensorflow.contrib.layers as ly


def start(shape, dtype=None, partition_info=None):
    return tf.constant(np.linspace(-0.3, 0.32, int(np.prod(shape))).reshape(shape), dtype)


def batches(values):
    data = tf.data.Dataset.from_tensor_slices(values).repeat().batch(2)
    return data.make_one_shot_iterator().get_next()


def generate(noise):
    hidden = ly.fully_connected(noise, 6, activation_fn=tf.nn.tanh, weights_initializer=start,
                                normalizer_fn=ly.batch_norm, scope='hidden')
    return ly.fully_connected(hidden, 3, activation_fn=None, weights_initializer=start, scope='out')


def criticize(values, reuse=None):
    with tf.variable_scope('critic', reuse=reuse):
        return ly.fully_connected(values, 1, activation_fn=None, weights_initializer=start,
                                  scope='score')


def averaged(variables, train_op):
    averages = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([train_op]):
        return averages.apply(variables), averages.average(variables[0])
