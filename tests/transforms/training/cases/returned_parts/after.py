"""A recogniser whose constructor keeps what its building method returns: inputs, loss, training op."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import optimizers


class Recogniser(object):

    def __init__(self, folder, features, restore):
        self._store = scopes.current_store()
        self.folder = folder
        self.build(features)
        self.saver = checkpoint.Saver(max_to_keep=2)
        if restore:
            self.saver.restore(tf.train.latest_checkpoint(folder))

    def build(self, features):
        def layer(inputs, size, name):
            with scopes.variable_scope(name):
                weight = scopes.get_variable('weight', [features, size], tf.float64,
                                         initializers.constant_initializer(0.1, tf.float64))
                return tf.nn.softplus(tf.matmul(inputs, weight))

        offset = scopes.Variable(np.linspace(-1.0, 1.0, 3), name='offset')
        optimizer = optimizers.AdamOptimizer(learning_rate=0.05)

        @tf.function(input_signature=[
            tf.TensorSpec([None, features], tf.float64),
            tf.TensorSpec([None], tf.int64),
        ])
        def train_step(frames, labels):
            """One training step; returns loss.

            Args:
                frames: float64 [None, features]
                labels: int64 [None]
            """
            with tf.GradientTape() as tape:
                scores = layer(frames, 3, 'scores') + offset
                loss = tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores))
            variables = self._store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables))
            return loss

        self._train_step = train_step

        @tf.function(input_signature=[tf.TensorSpec([None, features], tf.float64)])
        def predict(frames):
            """Computes scores.

            Args:
                frames: float64 [None, features]
            """
            return layer(frames, 3, 'scores') + offset

        self._predict = predict

    # One class for each frame.
    def train(self, batches):
        losses = []
        for frames, labels in batches:
            loss = self._train_step(frames, labels).numpy()
            losses.append(loss)
        self.saver.save(os.path.join(self.folder, 'model'), global_step=1)
        return losses

    def recognise(self, frames):
        return self._predict(frames).numpy()


def main(output):
    rng = np.random.RandomState(2)
    batches = [(rng.normal(size=(6, 4)), rng.randint(0, 3, 6)) for _ in range(3)]
    recogniser = Recogniser(tempfile.mkdtemp(), 4, False)
    losses = recogniser.train(batches)
    np.savez(output, losses=losses, scores=recogniser.recognise(batches[0][0]))


if __name__ == '__main__':
    main(sys.argv[1])
