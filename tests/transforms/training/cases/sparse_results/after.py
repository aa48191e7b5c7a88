"""Reads words of a sequence of classes: what sparse tensors come to is asked by name."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import feeds


def words_of(found):
    lines = [[] for _ in range(found.dense_shape[0])]
    for (line, _), value in zip(found.indices, found.values):
        lines[line].append(str(value))
    return [' '.join(line) for line in lines]


def read(sequences):
    weights = tf.Variable(np.eye(4, dtype=np.float32), name='weights')

    @tf.function(input_signature=[tf.TensorSpec([5, 2, 4], tf.float32)])
    def compute_decoded(inputs):
        """Computes decoded.

        Args:
            inputs: float32 [5, 2, 4]
        """
        logits = tf.reshape(tf.matmul(tf.reshape(inputs, [-1, 4]), weights), [5, 2, 4])
        decoded, score = tf.nn.ctc_greedy_decoder(logits, 5 * np.ones(2), merge_repeated=True)
        return decoded

    @tf.function(input_signature=[tf.TensorSpec([5, 2, 4], tf.float32)])
    def predict(inputs):
        """Computes decoded[0] and score.

        Args:
            inputs: float32 [5, 2, 4]
        """
        logits = tf.reshape(tf.matmul(tf.reshape(inputs, [-1, 4]), weights), [5, 2, 4])
        decoded, score = tf.nn.ctc_greedy_decoder(logits, 5 * np.ones(2), merge_repeated=True)
        return decoded[0], score

    found, scores = [], []
    for sequence in sequences:
        several = feeds.fetched(compute_decoded(sequence))
        found += words_of(several[0])
        one, value = feeds.fetched(predict(sequence))
        found += words_of(one)
        scores.append(value)
    return found, scores


def losses(sequences):
    @tf.function(input_signature=[tf.TensorSpec([5, 2, 4], tf.float32)])
    def compute_loss(inputs):
        """Computes loss.

        Args:
            inputs: float32 [5, 2, 4]
        """
        labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1]), [2, 2])
        return tf.reduce_mean(
            tf.nn.ctc_loss(labels=labels, logits=inputs, label_length=None, logit_length=tf.cast(5 * np.ones(2), tf.int32), blank_index=-1), name='loss')

    return [compute_loss(sequence).numpy() for sequence in sequences]


def main():
    random = np.random.RandomState(3)
    sequences = random.normal(0, 2, [3, 5, 2, 4]).astype(np.float32)
    found, scores = read(sequences)
    np.savez(sys.argv[1], words=np.array(found), scores=scores, losses=losses(sequences))


if __name__ == '__main__':
    main()
