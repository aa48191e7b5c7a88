"""Linear regression with placeholders at module level."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers

learning_rate = 0.1

# Inputs of the graph.
# The model.
w = tf.Variable(np.linspace(-1.0, 1.0, 4).reshape(4, 1), name='w')
b = tf.Variable(np.zeros([1]), name='b')
optimizer = optimizers.GradientDescentOptimizer(learning_rate)


@tf.function(input_signature=[
    tf.TensorSpec([None, 4], tf.float64),
    tf.TensorSpec([None, 1], tf.float64),
])
def train_step(x, y):
    """One training step; returns loss.

    Args:
        x: float64 [None, 4]
        y: float64 [None, 1]; what it learns to predict
    """
    with tf.GradientTape() as tape:
        pred = tf.matmul(x, w) + b
        loss = tf.reduce_mean(tf.square(pred - y))  # mean squared error
    gradients = tape.gradient(loss, [w, b])
    optimizer.apply_gradients(zip(gradients, [w, b]))
    return loss


@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float64)])
def predict(x):
    """Computes pred.

    Args:
        x: float64 [None, 4]
    """
    return tf.matmul(x, w) + b


losses = []
rng = np.random.RandomState(0)
for step in range(3):
    bx = rng.normal(size=(8, 4))
    by = bx.sum(1, keepdims=True)
    loss_val = train_step(bx, by).numpy()
    losses.append(loss_val)
    print('step %d: loss %.4f' % (step, loss_val))
predictions = predict(bx).numpy()
weights, bias = w.numpy(), b.numpy()

np.savez(sys.argv[1], losses=losses, predictions=predictions, weights=weights, bias=bias)
