"""Gradients of several batches are added up, then applied; a counter is assigned to."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import optimizers


def main(output):
    w = scopes.Variable(np.array([[0.3], [0.1], [-0.2]]))
    seen = scopes.Variable(0, trainable=False, name='seen')

    optimizer = optimizers.MomentumOptimizer(0.2, 0.9, use_nesterov=True)
    variables = scopes.trainable_variables()
    sums = [scopes.Variable(np.zeros(v.get_shape().as_list()), trainable=False) for v in variables]

    @tf.function
    def reset():
        """Runs reset_op."""
        reset_op = [s.assign(tf.zeros_like(s)) for s in sums]

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
    def compute_loss(x):
        """Runs add_op and count_op; returns loss.

        Args:
            x: float64 [None, 3]
        """
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        grads = tf.gradients(loss, variables)
        add_op = [s.assign_add(g) for s, g in zip(sums, grads)]
        seen.assign_add(tf.shape(x)[0])
        return loss

    @tf.function
    def train_step():
        """One training step."""
        optimizer.apply_gradients(zip(sums, variables))

    losses = []
    for step in range(3):
        reset()
        for part in range(2):
            data = np.sin(np.arange(12.0) + step + part).reshape(4, 3)
            value = compute_loss(data).numpy()
            losses.append(value)
        train_step()
    final, total = w.numpy(), seen.numpy()
    np.savez(output, losses=losses, w=final, seen=total)


if __name__ == '__main__':
    main(sys.argv[1])
