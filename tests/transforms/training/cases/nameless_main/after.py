"""A function builds and trains, the program starts by it: nobody asks what its variables are called."""
import argparse
import sys

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--learning-rate', type=float, default=0.001)
args = parser.parse_args([])


def line():
    slope = tf.Variable(0.5)
    offset = tf.Variable(-1.0)
    optimizer = tf.keras.optimizers.SGD(args.learning_rate, momentum=0.9)
    optimizer.build([slope, offset])

    @tf.function(input_signature=[
        tf.TensorSpec([None], tf.float32),
        tf.TensorSpec([None], tf.float32),
    ])
    def train_step(x, y):
        """One training step; returns loss.

        Args:
            x: float32 [None]
            y: float32 [None]
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(slope * x + offset - y))
        gradients = tape.gradient(loss, tape.watched_variables())
        optimizer.apply_gradients(zip(gradients, tape.watched_variables()))
        return loss

    for i in range(4):
        value = train_step(np.arange(6.0), np.arange(6.0) * 3).numpy()
    return value, slope.numpy(), offset.numpy()


def main(argv):
    loss, slope, offset = line()
    np.savez(argv[1], loss=loss, slope=slope, offset=offset)


if __name__ == '__main__':
    main(sys.argv)
