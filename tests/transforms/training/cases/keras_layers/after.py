"""Trains layers of tf.keras in the graph of a session; checkpoints and optimizers know them."""
import sys
import numpy as np
import tensorflow as tf
from tf1_support import compat
from tf1_support import scopes


@compat.in_graph_mode
def main(output):
    x = tf.compat.v1.placeholder(tf.float32, [None, 3])
    y = tf.compat.v1.placeholder(tf.float32, [None, 1])
    h = tf.keras.layers.Dense(4, activation='tanh', kernel_initializer=tf.compat.v1.constant_initializer(0.3))(x)
    out = tf.keras.layers.Dense(1, kernel_initializer=tf.compat.v1.constant_initializer(0.2))(h)
    loss = tf.reduce_mean(tf.square(out - y))
    train = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    rng = np.random.RandomState(0)
    a, b = rng.normal(size=(8, 3)), rng.normal(size=(8, 1))
    with tf.compat.v1.Session() as sess:
        sess.run(tf.compat.v1.global_variables_initializer())
        losses = []
        for _ in range(5):
            _, value = sess.run([train, loss], feed_dict={x: a, y: b})
            losses.append(value)
        count = len(scopes.global_variables())
    np.savez(output, losses=losses, count=count)


if __name__ == "__main__":
    main(sys.argv[1])
