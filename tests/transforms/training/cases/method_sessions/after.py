"""A tagger whose methods open the session, hand it on, and make the feeds of the runs."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
class Tagger(object):
    """Labels each word of a sentence."""

    def __init__(self, num_words, num_tags, learning_rate=0.05):
        self.num_words = num_words
        self.num_tags = num_tags
        self.learning_rate = learning_rate
        self.folder = tempfile.mkdtemp()

    def build_graph(self):
        self.add_inputs()
        with scopes.variable_scope('tagger'):
            self.add_network(4)
        self.add_training()

    def add_inputs(self):
        self.words = graphs.placeholder(tf.int32, [None, None], name='words')
        self.tags = graphs.placeholder(tf.int32, [None, None], name='tags')
        self.lengths = graphs.placeholder(tf.int32, [None], name='lengths')
        self.keep = graphs.placeholder(tf.float64, [], name='keep')
        self.rate = graphs.placeholder(tf.float64, [], name='rate')

    def add_network(self, size):
        values = np.cos(np.arange(self.num_words * size)).reshape(-1, size)
        table = scopes.get_variable('table', dtype=tf.float64, initializer=values)
        net = tf.nn.dropout(tf.nn.embedding_lookup(table, self.words), rate=1 - self.keep)
        values = np.sin(np.arange(size * self.num_tags)).reshape(size, -1)
        weights = scopes.get_variable('weights', dtype=tf.float64, initializer=values)
        self.scores = tf.tensordot(net, weights, 1)
        self.best = tf.argmax(self.scores, axis=-1)

    def add_training(self):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=self.tags, logits=self.scores)
        self.loss = tf.reduce_mean(tf.boolean_mask(losses, tf.sequence_mask(self.lengths)))
        optimizer = optimizers.AdamOptimizer(self.rate)
        pairs = optimizer.compute_gradients(self.loss)
        clipped = [(tf.clip_by_value(g, -0.2, 0.2), v) for g, v in pairs]
        self.train_op = optimizer.apply_gradients(clipped)

    def get_feed(self, sentences, tags=None, rate=None, keep=1.0):
        """Pads the sentences; returns the feed and their lengths."""
        lengths = [len(s) for s in sentences]
        width = max(lengths)
        feed = {self.words: [list(s) + [0] * (width - len(s)) for s in sentences],
                self.lengths: lengths}
        if tags is not None:
            feed[self.tags] = [list(t) + [0] * (width - len(t)) for t in tags]
        if rate is not None:
            feed[self.rate] = rate
        feed[self.keep] = keep
        return feed, lengths

    def train(self, data, epochs):
        saver = checkpoint.Saver()
        history = []
        graphs.run(graphs.global_variables_initializer())
        for epoch in range(epochs):
            history += self.run_epoch(data, epoch, saver)
        return history

    def run_epoch(self, data, epoch, saver):
        losses = []
        for sentences, tags in data:
            feed, _ = self.get_feed(sentences, tags, self.learning_rate)
            _, loss = graphs.run([self.train_op, self.loss], feed_dict=feed)
            losses.append(loss)
        saver.save(os.path.join(self.folder, 'model'), global_step=epoch)
        return losses

    def predict(self, sentences):
        """The tags of sentences, by the newest checkpoint."""
        saver = checkpoint.Saver()
        graphs.run(graphs.global_variables_initializer())
        saver.restore(tf.train.latest_checkpoint(self.folder))
        feed, lengths = self.get_feed(sentences)
        best = graphs.run(self.best, feed_dict=feed)
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
