"""Nothing sees the names of these variables: no saver, collection or scope."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers
from tf1_support import schedules

rate = 0.05

# Weights, each trained by another optimizer.
hidden = tf.Variable(tf.constant(np.float32(0.1) * np.arange(12, dtype=np.float32).reshape(3, 4)), name='hidden')
bias = tf.Variable(tf.zeros([4]), name='bias')
scale = tf.Variable(tf.constant(2.0, shape=(4,)), name='scale')
out = tf.Variable(tf.fill([4, 2], 0.25), name='out')
fixed = tf.Variable(tf.ones([2]), trainable=False, name='fixed')
step = tf.Variable(0, trainable=False, name='step')

decayed = schedules.exponential_decay(rate, step, 2, 0.5, staircase=True)
by_descent_optimizer = tf.keras.optimizers.SGD(decayed)
by_descent_optimizer.build([hidden, bias, scale, out])
by_momentum_optimizer = tf.keras.optimizers.SGD(0.01, momentum=0.9, nesterov=True)
by_momentum_optimizer.build([hidden, bias, scale, out])
adam = tf.keras.optimizers.Adam(rate, epsilon=1e-8, beta_1=0.5)
adam.build([hidden, bias, scale, out])
by_adagrad_optimizer = tf.keras.optimizers.Adagrad(0.1, epsilon=0.0)
by_adagrad_optimizer.build([hidden, bias, scale, out])
by_adadelta_optimizer = tf.keras.optimizers.Adadelta(.5, epsilon=1e-8)
by_adadelta_optimizer.build([hidden, bias, scale, out])
by_rms_optimizer = optimizers.RMSPropOptimizer(rate)


@tf.function(input_signature=[
    tf.TensorSpec([None, 3], tf.float32),
    tf.TensorSpec([None, 2], tf.float32),
])
def train_by_descent(x, y):
    """One training step; returns loss.

    Args:
        x: float32 [None, 3]
        y: float32 [None, 2]
    """
    with tf.GradientTape() as tape:
        hidden_layer = tf.nn.relu(tf.matmul(x, hidden) + bias) * scale
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden_layer, out) * fixed - y))
    variables = [hidden, bias, scale, out]
    gradients = tape.gradient(loss, variables)
    by_descent_optimizer.apply_gradients(zip(gradients, variables))
    step.assign_add(1)
    return loss


@tf.function(input_signature=[
    tf.TensorSpec([None, 3], tf.float32),
    tf.TensorSpec([None, 2], tf.float32),
])
def train_by_momentum(x, y):
    """One training step; returns loss.

    Args:
        x: float32 [None, 3]
        y: float32 [None, 2]
    """
    with tf.GradientTape() as tape:
        hidden_layer = tf.nn.relu(tf.matmul(x, hidden) + bias) * scale
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden_layer, out) * fixed - y))
    variables = [hidden, bias, scale, out]
    gradients = tape.gradient(loss, variables)
    by_momentum_optimizer.apply_gradients(zip(gradients, variables))
    return loss


@tf.function(input_signature=[
    tf.TensorSpec([None, 3], tf.float32),
    tf.TensorSpec([None, 2], tf.float32),
])
def train_by_adam(x, y):
    """One training step; returns loss.

    Args:
        x: float32 [None, 3]
        y: float32 [None, 2]
    """
    with tf.GradientTape() as tape:
        hidden_layer = tf.nn.relu(tf.matmul(x, hidden) + bias) * scale
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden_layer, out) * fixed - y))
    variables = [hidden, bias, scale, out]
    gradients = tape.gradient(loss, variables)
    adam.apply_gradients(zip(gradients, variables))
    return loss


@tf.function(input_signature=[
    tf.TensorSpec([None, 3], tf.float32),
    tf.TensorSpec([None, 2], tf.float32),
])
def train_by_adagrad(x, y):
    """One training step; returns loss.

    Args:
        x: float32 [None, 3]
        y: float32 [None, 2]
    """
    with tf.GradientTape() as tape:
        hidden_layer = tf.nn.relu(tf.matmul(x, hidden) + bias) * scale
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden_layer, out) * fixed - y))
    variables = [hidden, bias, scale, out]
    gradients = tape.gradient(loss, variables)
    by_adagrad_optimizer.apply_gradients(zip(gradients, variables))
    return loss


@tf.function(input_signature=[
    tf.TensorSpec([None, 3], tf.float32),
    tf.TensorSpec([None, 2], tf.float32),
])
def train_by_adadelta(x, y):
    """One training step; returns loss.

    Args:
        x: float32 [None, 3]
        y: float32 [None, 2]
    """
    with tf.GradientTape() as tape:
        hidden_layer = tf.nn.relu(tf.matmul(x, hidden) + bias) * scale
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden_layer, out) * fixed - y))
    variables = [hidden, bias, scale, out]
    gradients = tape.gradient(loss, variables)
    by_adadelta_optimizer.apply_gradients(zip(gradients, variables))
    return loss


@tf.function(input_signature=[
    tf.TensorSpec([None, 3], tf.float32),
    tf.TensorSpec([None, 2], tf.float32),
])
def train_by_rms(x, y):
    """One training step; returns loss.

    Args:
        x: float32 [None, 3]
        y: float32 [None, 2]
    """
    with tf.GradientTape() as tape:
        hidden_layer = tf.nn.relu(tf.matmul(x, hidden) + bias) * scale
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden_layer, out) * fixed - y))
    variables = [hidden, bias, scale, out]
    gradients = tape.gradient(loss, variables)
    by_rms_optimizer.apply_gradients(zip(gradients, variables))
    return loss


rng = np.random.RandomState(3)
losses = []
for i in range(3):
    feed = {'x': rng.normal(size=(5, 3)), 'y': rng.normal(size=(5, 2))}
    for train in range(2):
        losses.append(train_by_descent(**feed).numpy())
    losses.append(train_by_momentum(**feed).numpy())
    losses.append(train_by_adam(**feed).numpy())
    losses.append(train_by_adagrad(**feed).numpy())
    losses.append(train_by_adadelta(**feed).numpy())
    losses.append(train_by_rms(**feed).numpy())
np.savez(sys.argv[1], losses=losses, step=step.numpy(), out=out.numpy(), hidden=hidden.numpy())
