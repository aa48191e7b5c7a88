"""A model class that owns its session and runs its graph from several methods."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import optimizers


class Classifier(object):
    """A two-layer network.

    Args:
        num_inputs: features of an example.
        num_classes: how many classes there are.
    """

    def __init__(self, num_inputs, num_classes, learning_rate=0.05):
        self.num_inputs = num_inputs
        self.num_classes = num_classes
        self._store = scopes.VariableStore()
        with self._store.as_default():
            self.build_training(learning_rate)
            self.saver = checkpoint.Saver()

    def build_training(self, learning_rate):
        self.global_step = scopes.Variable(0, trainable=False, name='global_step')
        optimizer = optimizers.AdamOptimizer(learning_rate)

        @tf.function(input_signature=[
            tf.TensorSpec([None, self.num_inputs], tf.float64),
            tf.TensorSpec([None], tf.int32),
        ])
        def train_step(inputs, labels):
            """One training step; returns loss and global_step.

            Args:
                inputs: float64 [None, self.num_inputs]
                labels: int32 [None]
            """
            with self._store.run(), tf.GradientTape() as tape:
                hidden = self._dense(inputs, 6, 'hidden')
                logits = self._dense(tf.nn.relu(hidden), self.num_classes, 'logits')
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=labels, logits=logits)
                loss = tf.reduce_mean(losses)  # over the batch
            variables = self._store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables), global_step=self.global_step)
            return loss, self.global_step

        self._train_step = train_step

        # Tracing makes the variables, which the checkpoint needs.
        self._train_step.get_concrete_function()

        @tf.function(input_signature=[tf.TensorSpec([None, self.num_inputs], tf.float64)])
        def predict(inputs):
            """Computes probabilities.

            Args:
                inputs: float64 [None, self.num_inputs]
            """
            with self._store.run():
                hidden = self._dense(inputs, 6, 'hidden')
                logits = self._dense(tf.nn.relu(hidden), self.num_classes, 'logits')
                probabilities = tf.nn.softmax(logits)
            return probabilities

        self._predict = predict

    def _dense(self, x, size, name):
        count = int(x.shape[1])
        with scopes.variable_scope(name):
            values = 0.3 * np.cos(np.arange(count * size)).reshape(count, size)
            weights = scopes.get_variable('weights', dtype=tf.float64, initializer=values)
            biases = scopes.get_variable('biases', [size], tf.float64, initializers.zeros_initializer())
            return tf.matmul(x, weights) + biases

    def train(self, inputs, labels):
        """One step; returns the loss and the number of steps so far."""
        loss, step = (value.numpy() for value in self._train_step(inputs, labels))
        return loss, step

    def predict(self, inputs):
        return self._predict(inputs).numpy()

    def close(self):
        pass


def main(output):
    model = Classifier(4, 3)
    rng = np.random.RandomState(11)
    losses, steps = [], []
    for _ in range(3):
        x = rng.normal(size=(5, 4))
        loss, _ = model.train(x, rng.randint(0, 3, size=5))
        losses.append(loss)
    probabilities = model.predict(x)
    model.close()
    np.savez(output, losses=losses, probabilities=probabilities)


if __name__ == '__main__':
    main(sys.argv[1])
