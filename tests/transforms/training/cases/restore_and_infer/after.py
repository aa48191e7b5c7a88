"""Saves a model, then restores it in another function and runs it."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import gpu
from tf1_support import scopes
from tf1_support import checkpoint as tf1_checkpoint
from tf1_support import initializers
from tf1_support import optimizers


def model(images):
    with scopes.variable_scope('model'):
        kernel = scopes.get_variable(
            'kernel', dtype=tf.float64, initializer=np.linspace(-1.0, 1.0, 12).reshape(4, 3))
        bias = scopes.get_variable('bias', [3], tf.float64, initializers.zeros_initializer())
    return tf.nn.softmax(tf.matmul(images, kernel) + bias)


def train_and_save(directory, data, labels):
    with scopes.VariableStore().as_default() as store:
        global_step = scopes.Variable(0, trainable=False, name='global_step')
        optimizer = optimizers.AdamOptimizer(0.1)

        @tf.function(input_signature=[
            tf.TensorSpec([None, 4], tf.float64),
            tf.TensorSpec([None, 3], tf.float64),
        ])
        def train_step(x, onehot):
            """One training step.

            Args:
                x: float64 [None, 4]
                onehot: float64 [None, 3]
            """
            with store.run(), tf.GradientTape() as tape:
                probabilities = model(x)
                loss = -tf.reduce_mean(tf.reduce_sum(onehot * tf.math.log(probabilities), axis=1))
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)

        # Tracing makes the variables, which the checkpoint needs.
        train_step.get_concrete_function()

        saver = tf1_checkpoint.Saver()
        for _ in range(3):
            train_step(data, labels)
        return saver.save(os.path.join(directory, 'model.ckpt'),
                          global_step=global_step)


def infer(checkpoint, data):
    with scopes.VariableStore().as_default() as store:
        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float64)])
        def predict(x):
            """Computes best and probabilities.

            Args:
                x: float64 [None, 4]
            """
            with store.run():
                probabilities = model(x)
                best = tf.argmax(probabilities, axis=1)
            return {'best': best, 'probabilities': probabilities}

        # Tracing makes the variables, which the checkpoint needs.
        predict.get_concrete_function()

        saver = tf1_checkpoint.Saver()
        saver.restore(checkpoint)
        results = {name: value.numpy() for name, value in predict(data).items()}
    return results


def main(output):
    rng = np.random.RandomState(2)
    data = rng.normal(size=(5, 4))
    labels = np.eye(3)[rng.randint(0, 3, size=5)]
    gpu.configure_gpus('growth', soft_placement=True)
    checkpoint = train_and_save(os.path.dirname(output), data, labels)
    results = infer(checkpoint, data)
    np.savez(output, name=os.path.basename(checkpoint), **results)


if __name__ == '__main__':
    main(sys.argv[1])
