"""Trains with moving averages of the weights, then infers with the averages in their place."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import moving_averages
from tf1_support import optimizers
from tf1_support import training

MOVING_AVERAGE_DECAY = 0.9


def inference(features):
    """The logits of a batch of features."""
    with scopes.variable_scope('linear'):
        weights = scopes.get_variable('weights', dtype=tf.float64,
                                      initializer=np.linspace(-0.5, 0.5, 12).reshape(4, 3))
        biases = scopes.get_variable('biases', [3], tf.float64, initializers.constant_initializer(0.1))
    return tf.matmul(features, weights) + biases


def train(directory, data, labels):
    with scopes.VariableStore().as_default() as store:
        global_step = training.get_or_create_global_step()
        optimizer = optimizers.GradientDescentOptimizer(0.5)

        # Track the moving averages of all trainable variables.
        variable_averages = moving_averages.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)

        @tf.function(input_signature=[
            tf.TensorSpec([None, 4], tf.float64),
            tf.TensorSpec([None], tf.int64),
        ])
        def train_step(features, targets):
            """One training step; returns loss.

            Args:
                features: float64 [None, 4]
                targets: int64 [None]
            """
            with store.run(), tf.GradientTape() as tape:
                logits = inference(features)
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=targets, logits=logits))
            gradients = tape.gradient(loss, store.trainable_variables)
            grads = list(zip(gradients, store.trainable_variables))
            optimizer.apply_gradients(grads, global_step=global_step)
            variable_averages.apply(scopes.trainable_variables())
            return loss

        # Tracing makes the variables, which the checkpoint needs.
        train_step.get_concrete_function()

        saver = checkpoint.Saver()
        for step in range(3):
            loss_value = train_step(data, labels).numpy()
            print('step %d, loss = %.4f' % (step, loss_value))
        saver.save(os.path.join(directory, 'model.ckpt'), global_step=3)


def evaluate(directory, data):
    with scopes.VariableStore().as_default() as store:
        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float64)])
        def predict(features):
            """Computes logits.

            Args:
                features: float64 [None, 4]
            """
            with store.run():
                logits = inference(features)
            return logits

        # Tracing makes the variables, which the checkpoint needs.
        predict.get_concrete_function()

        # Restore the moving average version of the learned variables.
        variable_averages = moving_averages.ExponentialMovingAverage(MOVING_AVERAGE_DECAY)
        variables_to_restore = variable_averages.variables_to_restore()
        saver = checkpoint.Saver(variables_to_restore)
        ckpt = tf.train.get_checkpoint_state(directory)
        if ckpt and ckpt.model_checkpoint_path:
            saver.restore(ckpt.model_checkpoint_path)
        else:
            print('No checkpoint file found')
            return None
        return predict(data).numpy()


def main(output):
    rng = np.random.RandomState(4)
    data = rng.normal(size=(6, 4))
    labels = rng.randint(0, 3, size=6)
    directory = os.path.dirname(os.path.abspath(output))
    train(directory, data, labels)
    np.savez(output, logits=evaluate(directory, data))


if __name__ == '__main__':
    main(sys.argv[1])
