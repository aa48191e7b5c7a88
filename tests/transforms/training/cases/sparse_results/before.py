"""Reads words of a sequence of classes: what sparse tensors come to is asked by name."""
import sys

import numpy as np
import tensorflow as tf


def words_of(found):
    lines = [[] for _ in range(found.dense_shape[0])]
    for (line, _), value in zip(found.indices, found.values):
        lines[line].append(str(value))
    return [' '.join(line) for line in lines]


def read(sequences):
    inputs = tf.placeholder(tf.float32, [5, 2, 4], name='inputs')
    weights = tf.get_variable('weights', initializer=np.eye(4, dtype=np.float32))
    logits = tf.reshape(tf.matmul(tf.reshape(inputs, [-1, 4]), weights), [5, 2, 4])
    decoded, score = tf.nn.ctc_greedy_decoder(logits, 5 * np.ones(2), merge_repeated=True)

    found, scores = [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for sequence in sequences:
            several = sess.run(decoded, feed_dict={inputs: sequence})
            found += words_of(several[0])
            one, value = sess.run([decoded[0], score], feed_dict={inputs: sequence})
            found += words_of(one)
            scores.append(value)
    return found, scores


def losses(sequences):
    inputs = tf.placeholder(tf.float32, [5, 2, 4], name='sequences')
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1]), [2, 2])
    loss = tf.reduce_mean(
        tf.nn.ctc_loss(labels=labels, inputs=inputs, sequence_length=5 * np.ones(2)), name='loss')
    with tf.Session() as sess:
        return [sess.run(loss, feed_dict={inputs: sequence}) for sequence in sequences]


def main():
    random = np.random.RandomState(3)
    sequences = random.normal(0, 2, [3, 5, 2, 4]).astype(np.float32)
    found, scores = read(sequences)
    np.savez(sys.argv[1], words=np.array(found), scores=scores, losses=losses(sequences))


if __name__ == '__main__':
    main()
