"""Words to ids by a lookup table, and an embedding of them that is trained."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import contrib_lookup
from tf1_support import optimizers

WORDS = ['the', 'cat', 'sat', 'on', 'mat']


def main(output):
    table = contrib_lookup.index_table_from_tensor(
        mapping=tf.constant(WORDS), num_oov_buckets=1, default_value=-1)
    reverse = contrib_lookup.index_to_string_table_from_tensor(
        tf.constant(WORDS), default_value='?')

    embedding = scopes.get_variable('embedding', dtype=tf.float64,
                                initializer=np.linspace(-1, 1, 18).reshape(6, 3))
    optimizer = optimizers.AdagradOptimizer(0.5)
    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, None], tf.string),
        tf.TensorSpec([None], tf.float64),
    ])
    def train_step(words, labels):
        """One training step; returns loss.

        Args:
            words: string [None, None]
            labels: float64 [None]
        """
        with store.run(), tf.GradientTape() as tape:
            ids = table.lookup(words)
            vectors = tf.nn.embedding_lookup(embedding, ids)
            score = tf.reduce_mean(tf.reduce_sum(vectors, 2), 1)
            loss = tf.reduce_mean(tf.square(score - labels))
        variables = store.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables))
        return loss

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.string)])
    def evaluate_step(words):
        """Computes ids and names.

        Args:
            words: string [None, None]
        """
        with store.run():
            ids = table.lookup(words)
            names = reverse.lookup(ids)
        return ids, names

    sentences = [['the', 'cat', 'sat'], ['on', 'a', 'mat']]
    losses = []
    for _ in range(3):
        value = train_step(sentences, [1.0, -1.0]).numpy()
        losses.append(value)
    found, spelled = tf.nest.map_structure(lambda t: t.numpy(), evaluate_step(
        sentences))
    np.savez(output, losses=losses, found=found, spelled=spelled.astype('S'))


if __name__ == '__main__':
    main(sys.argv[1])
