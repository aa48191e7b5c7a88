"""Words to ids by a lookup table, and an embedding of them that is trained."""
import sys

import numpy as np
import tensorflow as tf

WORDS = ['the', 'cat', 'sat', 'on', 'mat']


def main(output):
    table = tf.contrib.lookup.index_table_from_tensor(
        mapping=tf.constant(WORDS), num_oov_buckets=1, default_value=-1)
    reverse = tf.contrib.lookup.index_to_string_table_from_tensor(
        tf.constant(WORDS), default_value='?')
    words = tf.placeholder(tf.string, [None, None], name='words')
    labels = tf.placeholder(tf.float64, [None], name='labels')

    ids = table.lookup(words)
    embedding = tf.get_variable('embedding', dtype=tf.float64,
                                initializer=np.linspace(-1, 1, 18).reshape(6, 3))
    vectors = tf.nn.embedding_lookup(embedding, ids)
    score = tf.reduce_mean(tf.reduce_sum(vectors, 2), 1)
    loss = tf.reduce_mean(tf.square(score - labels))
    train_op = tf.train.AdagradOptimizer(0.5).minimize(loss)
    names = reverse.lookup(ids)

    sentences = [['the', 'cat', 'sat'], ['on', 'a', 'mat']]
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        losses = []
        for _ in range(3):
            _, value = sess.run([train_op, loss], {words: sentences, labels: [1.0, -1.0]})
            losses.append(value)
        found, spelled = sess.run([ids, names], feed_dict={words: sentences})
    np.savez(output, losses=losses, found=found, spelled=spelled.astype('S'))


if __name__ == '__main__':
    main(sys.argv[1])
