import tensorflow as tf
from tf1_support import initializers
from tf1_support import scopes


class Layers:
    """Keeps whether it trains, and makes the layers of a network."""

    def __init__(self, training):
        self.training = training

    def dense(self, x, units, name):
        with scopes.variable_scope(name):
            start = tf.constant([[0.1 * (i - j) for i in range(units)] for j in range(int(x.shape[1]))])
            kernel = scopes.Variable(start, name="kernel")
            bias = scopes.get_variable("bias", [units], initializer=initializers.constant_initializer(0.5))
        y = tf.matmul(x, kernel) + bias
        return tf.cond(self.training, lambda: tf.nn.relu(y) * 2.0, lambda: tf.nn.relu(y))

    def build(self, x):
        return self.dense(self.dense(x, 4, "first"), 2, "second")
