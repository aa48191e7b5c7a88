"""A network that a module without TensorFlow describes, restored into a graph that has not run yet."""
import sys

import numpy as np
import tensorflow as tf

import described
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import initializers


def train(path):
    with scopes.VariableStore().as_default() as store:
        with scopes.variable_scope('first'):
            scopes.get_variable('weights', [3, 2], tf.float64, initializers.constant_initializer([1., -2., 3., 4., -5., 6.]))
        with scopes.variable_scope('second'):
            scopes.get_variable('weights', [2, 1], tf.float64, initializers.constant_initializer([0.5, -1.]))
        saver = checkpoint.Saver()
        saver.save(path)


def predict(path, data):
    store = scopes.current_store()

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
    def predict_2(x):
        """Computes net.get_output().

        Args:
            x: float64 [None, 3]
        """
        with store.run():
            net = described.Small({'data': x})
        return net.get_output()

    # Tracing makes the variables, which the checkpoint needs.
    predict_2.get_concrete_function()


    saver = checkpoint.Saver()
    saver.restore(path)
    return predict_2(data).numpy()


if __name__ == '__main__':
    train(sys.argv[1] + '.ckpt')
    np.savez(sys.argv[1], found=predict(sys.argv[1] + '.ckpt', np.arange(6.0).reshape(2, 3)))
