"""A convolutional network in the style of the first tutorials: every weight has the same seed."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import draws
from tf1_support import optimizers

SEED = 66478


def weight_variable(shape):
    return tf.Variable(draws.truncated_normal(shape, stddev=0.1, seed=SEED, dtype=tf.float64))


def main(path):
    rng = np.random.RandomState(0)
    images = rng.rand(6, 8, 8, 1)
    labels = np.eye(3)[rng.randint(0, 3, 6)]

    conv1 = weight_variable([3, 3, 1, 4])
    conv2 = weight_variable([3, 3, 4, 4])
    fc_weights = tf.Variable(draws.random_normal([64, 3], 0.0, 0.1, tf.float64, SEED))
    fc_biases = tf.Variable(draws.random_normal([3], 0.0, 0.1, tf.float64, SEED))
    noise = tf.Variable(draws.random_uniform([3], -0.1, 0.1, tf.float64, seed=1))

    optimizer = optimizers.GradientDescentOptimizer(0.5)

    def forward(x):
        """Computes logits for train_step and predict."""
        net = tf.nn.relu(tf.nn.conv2d(x, conv1, [1, 2, 2, 1], 'SAME'))
        net = tf.nn.relu(tf.nn.conv2d(net, conv2, [1, 1, 1, 1], 'SAME'))
        return tf.matmul(tf.reshape(net, [-1, 64]), fc_weights) + fc_biases + noise

    @tf.function(input_signature=[
        tf.TensorSpec([None, 8, 8, 1], tf.float64),
        tf.TensorSpec([None, 3], tf.float64),
    ])
    def train_step(x, y):
        """One training step; returns loss.

        Args:
            x: float64 [None, 8, 8, 1]
            y: float64 [None, 3]
        """
        with tf.GradientTape() as tape:
            logits = forward(x)
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(y), logits=logits, axis=-1))
        variables = [conv1, conv2, fc_weights, fc_biases, noise]
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables))
        return loss

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 1], tf.float64)])
    def predict(x):
        """Computes logits.

        Args:
            x: float64 [None, 8, 8, 1]
        """
        return forward(x)

    losses = []
    first = [conv1.numpy(), conv2.numpy(), fc_weights.numpy(), fc_biases.numpy(), noise.numpy()]
    for _ in range(3):
        value = train_step(images, labels).numpy()
        losses.append(value)
    scores = predict(images).numpy()
    np.savez(path, losses=losses, scores=scores, sums=[v.sum() for v in first])


if __name__ == '__main__':
    main(sys.argv[1])
