"""Skip-grams: the graph is built in one block, run in another, saved at the end."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf


def main(output):
    batch_size, size, vocabulary = 4, 5, 8
    examples = np.array([1, 3, 5])
    graph = tf.Graph()
    with graph.as_default():
        train_inputs = tf.placeholder(tf.int32, shape=[batch_size])
        train_labels = tf.placeholder(tf.int64, shape=[batch_size, 1])
        valid_dataset = tf.constant(examples, dtype=tf.int32)
        with tf.device('/cpu:0'):
            with tf.name_scope('embeddings'):
                start = np.linspace(-1.0, 1.0, vocabulary * size).reshape(vocabulary, size)
                embeddings = tf.Variable(start)
                embed = tf.nn.embedding_lookup(embeddings, train_inputs)
            with tf.name_scope('weights'):
                nce_weights = tf.Variable(np.full((vocabulary, size), 0.4))
            with tf.name_scope('biases'):
                nce_biases = tf.Variable(np.zeros(vocabulary))
        sampled = (tf.constant([0, 2, 4], tf.int64), tf.fill([batch_size, 1], np.float64(0.3)),
                   tf.constant([0.5, 0.3, 0.2], tf.float64))
        loss = tf.reduce_mean(tf.nn.nce_loss(
            weights=nce_weights, biases=nce_biases, labels=train_labels, inputs=embed,
            num_sampled=3, num_classes=vocabulary, sampled_values=sampled))
        optimizer = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
        norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keepdims=True))
        normalized_embeddings = embeddings / norm
        valid_embeddings = tf.nn.embedding_lookup(normalized_embeddings, valid_dataset)
        similarity = tf.matmul(valid_embeddings, normalized_embeddings, transpose_b=True)
        init = tf.global_variables_initializer()
        saver = tf.train.Saver()

    rng = np.random.RandomState(0)
    losses, similarities = [], []
    folder = tempfile.mkdtemp()
    with tf.Session(graph=graph) as session:
        init.run()
        for step in range(4):
            feed_dict = {train_inputs: rng.randint(0, vocabulary, batch_size),
                         train_labels: rng.randint(0, vocabulary, (batch_size, 1))}
            _, loss_val = session.run([optimizer, loss], feed_dict=feed_dict)
            losses.append(loss_val)
            if step % 2 == 0:
                similarities.append(similarity.eval())
        final_embeddings = normalized_embeddings.eval()
        path = saver.save(session, os.path.join(folder, 'model.ckpt'))
    saved = {name: tf.train.load_variable(path, name) for name, _ in tf.train.list_variables(path)}
    np.savez(output, losses=losses, similarities=similarities, final=final_embeddings,
             **{name.replace('/', '.'): value for name, value in saved.items()})


if __name__ == '__main__':
    main(sys.argv[1])
