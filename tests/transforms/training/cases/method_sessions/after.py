"""A tagger whose methods open the session, hand it on, and make the feeds of the runs."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import optimizers


class Tagger(object):
    """Labels each word of a sentence."""

    def __init__(self, num_words, num_tags, learning_rate=0.05):
        self._store = scopes.current_store()
        self.num_words = num_words
        self.num_tags = num_tags
        self.learning_rate = learning_rate
        self.folder = tempfile.mkdtemp()

    def build_graph(self):
        with scopes.variable_scope('tagger'):
            self.add_network(4)
        self.add_training()

    def add_network(self, size):
        values = np.cos(np.arange(self.num_words * size)).reshape(-1, size)
        self._table = scopes.get_variable('table', dtype=tf.float64, initializer=values)
        values = np.sin(np.arange(size * self.num_tags)).reshape(size, -1)
        self._weights = scopes.get_variable('weights', dtype=tf.float64, initializer=values)

    def add_training(self):
        optimizer = optimizers.AdamOptimizer(0.0)

        @tf.function(input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
            tf.TensorSpec([], tf.float64),
            tf.TensorSpec([], tf.float64),
        ])
        def train_step(words, tags, lengths, keep, rate):
            """One training step; returns loss.

            Args:
                words: int32 [None, None]
                tags: int32 [None, None]
                lengths: int32 [None]
                keep: float64 scalar
                rate: float64 scalar
            """
            with tf.GradientTape() as tape:
                with scopes.variable_scope('tagger'):
                    net = tf.nn.dropout(tf.nn.embedding_lookup(self._table, words), rate=1 - keep)
                    scores = tf.tensordot(net, self._weights, 1)
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=tags, logits=scores)
                loss = tf.reduce_mean(tf.boolean_mask(losses, tf.sequence_mask(lengths)))
            gradients = tape.gradient(loss, [self._table, self._weights])
            pairs = list(zip(gradients, [self._table, self._weights]))
            clipped = [(tf.clip_by_value(g, -0.2, 0.2), v) for g, v in pairs]
            optimizer.learning_rate = rate
            optimizer.apply_gradients(clipped)
            return loss

        self._train_step = train_step

        @tf.function(input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
            tf.TensorSpec([], tf.float64),
        ])
        def compute_best(words, lengths, keep):
            """Computes best.

            Args:
                words: int32 [None, None]
                lengths: int32 [None]
                keep: float64 scalar
            """
            with scopes.variable_scope('tagger'):
                net = tf.nn.dropout(tf.nn.embedding_lookup(self._table, words), rate=1 - keep)
                scores = tf.tensordot(net, self._weights, 1)
                best = tf.argmax(scores, axis=-1)
            return best

        self._compute_best = compute_best

    def get_feed(self, sentences, tags=None, rate=None, keep=1.0):
        """Pads the sentences; returns the feed and their lengths."""
        lengths = [len(s) for s in sentences]
        width = max(lengths)
        feed = {'words': [list(s) + [0] * (width - len(s)) for s in sentences],
                'lengths': lengths}
        if tags is not None:
            feed['tags'] = [list(t) + [0] * (width - len(t)) for t in tags]
        if rate is not None:
            feed['rate'] = rate
        feed['keep'] = keep
        return feed, lengths

    def train(self, data, epochs):
        saver = checkpoint.Saver()
        history = []
        for epoch in range(epochs):
            history += self.run_epoch(data, epoch, saver)
        return history

    def run_epoch(self, data, epoch, saver):
        losses = []
        for sentences, tags in data:
            feed, _ = self.get_feed(sentences, tags, self.learning_rate)
            loss = self._train_step(**feed).numpy()
            losses.append(loss)
        saver.save(os.path.join(self.folder, 'model'), global_step=epoch)
        return losses

    def predict(self, sentences):
        """The tags of sentences, by the newest checkpoint."""
        saver = checkpoint.Saver()
        saver.restore(tf.train.latest_checkpoint(self.folder))
        feed, lengths = self.get_feed(sentences)
        best = self._compute_best(**feed).numpy()
        return np.concatenate([row[:n] for row, n in zip(best, lengths)])


def main(output):
    rng = np.random.RandomState(2)
    data = []
    for lengths in [(3, 5), (4, 2), (5, 3)]:
        data.append(([rng.randint(1, 9, n) for n in lengths], [rng.randint(0, 3, n) for n in lengths]))
    tagger = Tagger(9, 3)
    tagger.build_graph()
    losses = tagger.train(data, 3)
    np.savez(output, losses=losses, best=tagger.predict(data[0][0]))


if __name__ == '__main__':
    main(sys.argv[1])
