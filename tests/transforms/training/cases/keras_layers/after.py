"""Trains layers of tf.keras in the graph of a session; checkpoints and optimizers know them."""
import sys
import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
def main(output):
    x = graphs.placeholder(tf.float32, [None, 3])
    y = graphs.placeholder(tf.float32, [None, 1])
    h = tf.keras.layers.Dense(4, activation='tanh', kernel_initializer=initializers.constant_initializer(0.3))(x)
    out = tf.keras.layers.Dense(1, kernel_initializer=initializers.constant_initializer(0.2))(h)
    loss = tf.reduce_mean(tf.square(out - y))
    train = optimizers.GradientDescentOptimizer(0.1).minimize(loss)
    rng = np.random.RandomState(0)
    a, b = rng.normal(size=(8, 3)), rng.normal(size=(8, 1))
    losses = []
    train_step = graphs.function([x, y], [train, loss])
    for _ in range(5):
        _, value = train_step(a, b)
        losses.append(value)
    count = len(scopes.global_variables())
    np.savez(output, losses=losses, count=count)


if __name__ == "__main__":
    main(sys.argv[1])
