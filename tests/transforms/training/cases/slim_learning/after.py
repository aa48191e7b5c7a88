"""A network trained by slim's loop, which saves and goes on from checkpoints."""
import os
import sys

import numpy as np
import tensorflow as tf
from absl import logging
from tf1_support import contrib_training
from tf1_support import scopes
from tf1_support import optimizers
from tf1_support import slim
from tf1_support import slim_losses
from tf1_support import training


def fixed(shape, dtype=None, partition_info=None):
    return tf.constant(0.3 * np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)


def load_batch(images, labels, batch_size):
    """Batches of the examples, over and over."""
    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).repeat().batch(batch_size)
    return dataset


def train(log_dir, images, labels, number_of_steps):
    with scopes.VariableStore().as_default() as store:
        logging.set_verbosity(logging.INFO)
        train_dataset = load_batch(images, labels, 4)
        batches = iter(train_dataset)

        # Specify the optimizer and create the train op:
        optimizer = optimizers.AdamOptimizer(learning_rate=0.05)

        @tf.function(input_signature=train_dataset.element_spec)
        def train_step(features, targets):
            """One training step; returns total_loss."""
            with store.run(apply_updates=True), tf.GradientTape() as tape:
                with slim.arg_scope([slim.fully_connected], weights_initializer=fixed,
                                    weights_regularizer=slim.l2_regularizer(0.01)):
                    net = slim.fully_connected(features, 5, scope='hidden')
                    logits = slim.fully_connected(net, 3, activation_fn=None, scope='logits')
                slim_losses.sparse_softmax_cross_entropy(logits, targets)
                total_loss = slim_losses.get_total_loss()
            variables = store.trainable_variables
            gradients = tape.gradient(total_loss, variables)
            optimizer.apply_gradients(zip(gradients, variables), global_step=training.get_or_create_global_step())
            return total_loss

        # Run the training:
        final_loss = contrib_training.train(
            lambda: train_step(*next(batches)),
            logdir=log_dir,
            number_of_steps=number_of_steps,
            summary_op=None, build=[train_step])
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
