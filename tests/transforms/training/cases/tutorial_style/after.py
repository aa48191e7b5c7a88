"""An interactive session, eval and run as methods, more graph inside the session."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers


def weight_variable(shape):
    initial = tf.constant(0.1 * np.cos(np.arange(np.prod(shape))).reshape(shape))
    return tf.Variable(initial)


def bias_variable(shape):
    initial = tf.constant(0.1, shape=shape, dtype=tf.float64)
    return tf.Variable(initial)


def conv2d(x, W):
    return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding='SAME')


W_conv1 = weight_variable([3, 3, 1, 4])
b_conv1 = bias_variable([4])
W_fc = weight_variable([64, 2])
b_fc = bias_variable([2])

optimizer = optimizers.AdamOptimizer(1e-2)


def forward(x):
    """Computes y for the steps."""
    x_image = tf.reshape(x, [-1, 4, 4, 1])
    h_conv1 = tf.nn.relu(conv2d(x_image, W_conv1) + b_conv1)
    h_flat = tf.reshape(h_conv1, [-1, 4 * 4 * 4])
    return tf.matmul(h_flat, W_fc) + b_fc


@tf.function(input_signature=[
    tf.TensorSpec([None, 16], tf.float64),
    tf.TensorSpec([None, 2], tf.float64),
])
def compute_accuracy(x, y_):
    """Computes accuracy.

    Args:
        x: float64 [None, 16]
        y_: float64 [None, 2]
    """
    y = forward(x)
    correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    return tf.reduce_mean(tf.cast(correct_prediction, tf.float64))


@tf.function(input_signature=[
    tf.TensorSpec([None, 16], tf.float64),
    tf.TensorSpec([None, 2], tf.float64),
])
def training_step(x, y_):
    """One training step.

    Args:
        x: float64 [None, 16]
        y_: float64 [None, 2]
    """
    with tf.GradientTape() as tape:
        y = forward(x)
        cross_entropy = tf.reduce_mean(
            tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(y_), logits=y, axis=-1))
    variables = [W_conv1, b_conv1, W_fc, b_fc]
    gradients = tape.gradient(cross_entropy, variables)
    optimizer.apply_gradients(zip(gradients, variables))


@tf.function(input_signature=[
    tf.TensorSpec([None, 16], tf.float64),
    tf.TensorSpec([None, 2], tf.float64),
])
def compute_cross_entropy(x, y_):
    """Computes cross_entropy.

    Args:
        x: float64 [None, 16]
        y_: float64 [None, 2]
    """
    y = forward(x)
    return tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(y_), logits=y, axis=-1))


rng = np.random.RandomState(9)
accuracies = []
for i in range(3):
    batch = rng.normal(size=(6, 16)), np.eye(2)[rng.randint(0, 2, size=6)]
    train_accuracy = compute_accuracy(batch[0], batch[1]).numpy()
    accuracies.append(train_accuracy)
    training_step(batch[0], batch[1])

print('accuracy %g' % compute_accuracy(batch[0], batch[1]).numpy())
np.savez(sys.argv[1], accuracies=accuracies, w=W_conv1.numpy(), b=b_fc.numpy(),
         entropy=compute_cross_entropy(batch[0], batch[1]).numpy())
