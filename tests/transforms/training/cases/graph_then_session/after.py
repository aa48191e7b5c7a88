"""Skip-grams: the graph is built in one block, run in another, saved at the end."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import optimizers


def main(output):
    batch_size, size, vocabulary = 4, 5, 8
    examples = np.array([1, 3, 5])
    with scopes.VariableStore().as_default() as store:
        with tf.device('/cpu:0'):
            with tf.name_scope('embeddings'):
                start = np.linspace(-1.0, 1.0, vocabulary * size).reshape(vocabulary, size)
                embeddings = scopes.Variable(start)
            with tf.name_scope('weights'):
                nce_weights = scopes.Variable(np.full((vocabulary, size), 0.4))
            with tf.name_scope('biases'):
                nce_biases = scopes.Variable(np.zeros(vocabulary))
        gradientdescent_optimizer = optimizers.GradientDescentOptimizer(1.0)

        @tf.function(input_signature=[
            tf.TensorSpec([batch_size], tf.int32),
            tf.TensorSpec([batch_size, 1], tf.int64),
        ])
        def train_step(train_inputs, train_labels):
            """One training step; returns loss.

            Args:
                train_inputs: int32 [batch_size]
                train_labels: int64 [batch_size, 1]
            """
            with tf.GradientTape() as tape:
                with tf.device('/cpu:0'):
                    with tf.name_scope('embeddings'):
                        embed = tf.nn.embedding_lookup(embeddings, train_inputs)
                sampled = (tf.constant([0, 2, 4], tf.int64), tf.fill([batch_size, 1], np.float64(0.3)),
                           tf.constant([0.5, 0.3, 0.2], tf.float64))
                loss = tf.reduce_mean(tf.nn.nce_loss(
                    weights=nce_weights, biases=nce_biases, labels=train_labels, inputs=embed,
                    num_sampled=3, num_classes=vocabulary, sampled_values=sampled))
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            gradientdescent_optimizer.apply_gradients(zip(gradients, variables))
            return loss

        @tf.function
        def compute_similarity():
            """Computes similarity."""
            valid_dataset = tf.constant(examples, dtype=tf.int32)
            norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keepdims=True))
            normalized_embeddings = embeddings / norm
            valid_embeddings = tf.nn.embedding_lookup(normalized_embeddings, valid_dataset)
            return tf.matmul(valid_embeddings, normalized_embeddings, transpose_b=True)

        @tf.function
        def compute_normalized_embeddings():
            """Computes normalized_embeddings."""
            norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keepdims=True))
            return embeddings / norm

        saver = checkpoint.Saver()

    rng = np.random.RandomState(0)
    losses, similarities = [], []
    folder = tempfile.mkdtemp()
    for step in range(4):
        feed_dict = {'train_inputs': rng.randint(0, vocabulary, batch_size),
                     'train_labels': rng.randint(0, vocabulary, (batch_size, 1))}
        loss_val = train_step(**feed_dict).numpy()
        losses.append(loss_val)
        if step % 2 == 0:
            similarities.append(compute_similarity().numpy())
    final_embeddings = compute_normalized_embeddings().numpy()
    path = saver.save(os.path.join(folder, 'model.ckpt'))
    saved = {name: tf.train.load_variable(path, name) for name, _ in tf.train.list_variables(path)}
    np.savez(output, losses=losses, similarities=similarities, final=final_embeddings,
             **{name.replace('/', '.'): value for name, value in saved.items()})


if __name__ == '__main__':
    main(sys.argv[1])
