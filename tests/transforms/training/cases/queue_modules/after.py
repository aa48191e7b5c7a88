"""Trains on the batches that another module reads from text files."""
import os
import sys

import numpy as np
import tensorflow as tf

import data_input
from tf1_support import scopes
from tf1_support import losses as tf1_losses
from tf1_support import optimizers


def write_csv(path, offset):
    with open(path, 'w') as stream:
        stream.write('a,b,label\n')
        for index in range(5):
            stream.write('%d,%d,%d\n' % (index + offset, index * 2 - offset, index % 3))


def train(paths):
    with scopes.VariableStore().as_default() as store:
        dataset = data_input.distorted_inputs(paths, batch_size=4)
        batches = iter(dataset)
        kernel = scopes.get_variable('kernel', dtype=tf.float64,
                                     initializer=np.linspace(-1.0, 1.0, 6).reshape(2, 3))
        optimizer = optimizers.MomentumOptimizer(0.1, 0.9)

        @tf.function(input_signature=dataset.element_spec)
        def train_step(features, labels):
            """One training step; returns loss."""
            with store.run(), tf.GradientTape() as tape:
                logits = tf.matmul(features, kernel)
                loss = tf1_losses.softmax_cross_entropy(labels, logits)
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables))
            return loss

        losses = []
        try:
            while True:
                value = train_step(*next(batches)).numpy()
                losses.append(value)
        except StopIteration:
            print('done')
        except Exception as error:
            raise
        final = kernel.numpy()
    return losses, final


def main(output):
    folder = os.path.dirname(os.path.abspath(output))
    paths = [os.path.join(folder, 'part%d.csv' % i) for i in range(2)]
    for offset, path in enumerate(paths):
        write_csv(path, offset)
    losses, final = train(paths)
    np.savez(output, losses=losses, final=final)


if __name__ == '__main__':
    main(sys.argv[1])
