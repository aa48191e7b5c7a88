"""Summaries that are called like operations, variables and scopes, in scopes that a step takes apart."""
import os
import re
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import summary


def spread(values):
    with tf.name_scope('spread'):
        mean = tf.reduce_mean(values)
        summary.scalar('mean', mean)
        with tf.name_scope('deviation'):
            deviation = tf.sqrt(tf.reduce_mean(tf.square(values - mean)))
        summary.scalar('deviation', deviation)
        summary.scalar('largest', tf.reduce_max(values))


def tags(folder):
    found = set()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), 'rb') as stream:
            data = stream.read()
        for start in re.finditer(b'\n(.)(?=shown/)', data, re.DOTALL):
            found.add(data[start.end():start.end() + ord(start.group(1))].decode())
    return sorted(found)


def main(output):
    logdir = os.path.join(os.path.dirname(output), 'logs')
    with tf.name_scope('shown'):
        w = scopes.Variable(np.array([[0.5], [-0.25], [1.0]]), name='w')
        with scopes.variable_scope('first') as scope:
            pass
        with scopes.variable_scope('second') as scope:
            pass
    optimizer = optimizers.GradientDescentOptimizer(0.0)
    writer = tf.summary.create_file_writer(logdir)
    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, 3], tf.float64),
        tf.TensorSpec([], tf.float64),
        tf.TensorSpec([], tf.int64),
    ])
    def train_step(x, rate, step):
        """One training step; returns loss.

        Args:
            x: float64 [None, 3]
            rate: float64 scalar
            step: the summaries' step
        """
        with writer.as_default(step=step):
            with store.run(), tf.GradientTape() as tape:
                with tf.name_scope('shown') as scope_2:
                    spread(w)
                    y = tf.matmul(x, w)
                    with scopes.variable_scope('first') as scope_3:
                        y *= scopes.get_variable('v', [], tf.float64, initializers.constant_initializer(1.5))
                    with scopes.variable_scope('second') as scope_4:
                        y += scopes.get_variable('v', [], tf.float64, initializers.constant_initializer(0.25))
                    with tf.name_scope('cost') as scope_5:
                        loss = tf.reduce_mean(tf.square(y), name='loss')
            with tf.name_scope(scope_2):
                summary.histogram('w', w)
                summary.histogram('weights', w)
                with scopes.variable_scope(scope_3, auxiliary_name_scope=False), tf.name_scope(scope_3.original_name_scope):
                    summary.histogram('y', y)
                with scopes.variable_scope(scope_4, auxiliary_name_scope=False), tf.name_scope(scope_4.original_name_scope):
                    summary.histogram('y', y)
                with tf.name_scope(scope_5):
                    summary.scalar('loss', loss)
                    summary.scalar('half', loss / 2)
                summary.scalar('rate', rate)
                summary.scalar('cost', loss)
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.learning_rate = rate
            optimizer.apply_gradients(zip(gradients, variables))
            return loss

    losses = []
    for i in range(3):
        data = np.cos(np.arange(6.0) + i).reshape(2, 3)
        value = train_step(data, 0.1, i).numpy()
        losses.append(value)
    writer.close()
    np.savez(output, losses=losses, tags=tags(logdir))


if __name__ == '__main__':
    main(sys.argv[1])
