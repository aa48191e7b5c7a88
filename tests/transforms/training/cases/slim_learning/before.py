"""A network trained by slim's loop, which saves and goes on from checkpoints."""
import os
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def fixed(shape, dtype=None, partition_info=None):
    return tf.constant(0.3 * np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)


def load_batch(images, labels, batch_size):
    """Batches of the examples, over and over."""
    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).repeat().batch(batch_size)
    return dataset.make_one_shot_iterator().get_next()


def train(log_dir, images, labels, number_of_steps):
    with tf.Graph().as_default():
        tf.logging.set_verbosity(tf.logging.INFO)
        features, targets = load_batch(images, labels, 4)
        with slim.arg_scope([slim.fully_connected], weights_initializer=fixed,
                            weights_regularizer=slim.l2_regularizer(0.01)):
            net = slim.fully_connected(features, 5, scope='hidden')
            logits = slim.fully_connected(net, 3, activation_fn=None, scope='logits')
        slim.losses.sparse_softmax_cross_entropy(logits, targets)
        total_loss = slim.losses.get_total_loss()

        # Specify the optimizer and create the train op:
        optimizer = tf.train.AdamOptimizer(learning_rate=0.05)
        train_op = slim.learning.create_train_op(total_loss, optimizer)

        # Run the training:
        final_loss = slim.learning.train(
            train_op,
            logdir=log_dir,
            number_of_steps=number_of_steps,
            summary_op=None)
    return final_loss


def main(output):
    rng = np.random.RandomState(17)
    images, labels = rng.normal(size=(8, 6)), rng.randint(0, 3, size=8)
    log_dir = os.path.join(os.path.dirname(os.path.abspath(output)), 'slim_logs')
    first = train(log_dir, images, labels, 3)
    second = train(log_dir, images, labels, 5)
    path = tf.train.latest_checkpoint(log_dir)
    weights = tf.train.load_variable(path, 'hidden/weights')
    np.savez(output, first=first, second=second, weights=weights,
             step=tf.train.load_variable(path, 'global_step'))


if __name__ == '__main__':
    main(sys.argv[1])
