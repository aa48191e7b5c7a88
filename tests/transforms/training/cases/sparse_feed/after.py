"""Sparse placeholders, fed as three arrays and as a SparseTensorValue."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import feeds
from tf1_support import optimizers


def words(rows, dtype):
    indices = [(row, column) for row, columns in enumerate(rows) for column in columns]
    return np.array(indices), np.ones(len(indices), dtype), [len(rows), 6]


def main(output):
    w = tf.Variable(np.linspace(-1.0, 1.0, 6).reshape(6, 1), name='w')
    optimizer = optimizers.AdagradOptimizer(0.1)

    @tf.function(input_signature=[
        tf.SparseTensorSpec([None, 6], tf.float64),
        tf.TensorSpec([None], tf.float64),
    ])
    def train_step(x, y):
        """One training step; returns loss.

        Args:
            x: sparse float64 [None, 6]
            y: float64 [None]
        """
        with tf.GradientTape() as tape:
            predicted = tf.sparse.sparse_dense_matmul(x, w)[:, 0]
            loss = tf.reduce_mean(tf.square(predicted - y))
        gradients = tape.gradient(loss, [w])
        optimizer.apply_gradients(zip(gradients, [w]))
        return loss

    @tf.function(input_signature=[
        tf.SparseTensorSpec([None, 6], tf.float64),
        tf.TensorSpec([None], tf.float64),
    ])
    def predict(x, y):
        """Computes predicted.

        Args:
            x: sparse float64 [None, 6]
            y: float64 [None]
        """
        return tf.sparse.sparse_dense_matmul(x, w)[:, 0]

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 6], tf.float64)])
    def compute_total(x):
        """Computes total.

        Args:
            x: sparse float64 [None, 6]
        """
        return tf.sparse.reduce_sum(x)

    losses = []
    for rows in ([[0, 2], [1]], [[5], [3, 4], [0]], [[1, 2, 3]]):
        feed = {'x': feeds.sparse_tensor(words(rows, np.int32), tf.float64), 'y': np.arange(len(rows))}
        value = train_step(**feed).numpy()
        losses.append(value)
    after = tf.nest.map_structure(lambda t: t.numpy(), predict(**feed))
    indices, values, shape = words([[4], [4, 5]], np.float32)
    outputs = compute_total(feeds.sparse_tensor((indices, values, shape), tf.float64))
    count = outputs.numpy()
    np.savez(output, losses=losses, after=after, count=count)


if __name__ == '__main__':
    main(sys.argv[1])
