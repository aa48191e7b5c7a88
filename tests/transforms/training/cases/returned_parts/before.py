"""A recogniser whose constructor keeps what its building method returns: inputs, loss, training op."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf


class Recogniser(object):

    def __init__(self, folder, features, restore):
        self.folder = folder
        self.session = tf.Session()
        with self.session.as_default():
            (self.frames, self.labels, self.scores, self.train_op, self.loss,
             self.init) = self.build(features)
            self.init.run()
        self.saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
        if restore:
            self.saver.restore(self.session, tf.train.latest_checkpoint(folder))

    def build(self, features):
        def layer(inputs, size, name):
            with tf.variable_scope(name):
                weight = tf.get_variable('weight', [features, size], tf.float64,
                                         tf.constant_initializer(0.1, tf.float64))
                return tf.nn.softplus(tf.matmul(inputs, weight))

        frames = tf.placeholder(tf.float64, [None, features])
        # One class for each frame.
        labels = tf.placeholder(tf.int64, [None])
        offset = tf.Variable(np.linspace(-1.0, 1.0, 3), name='offset')
        scores = layer(frames, 3, 'scores') + offset
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores))
        train_op = tf.train.AdamOptimizer(learning_rate=0.05).minimize(loss)
        return frames, labels, scores, train_op, loss, tf.global_variables_initializer()

    def train(self, batches):
        losses = []
        with self.session.as_default():
            for frames, labels in batches:
                _, loss = self.session.run(
                    [self.train_op, self.loss],
                    feed_dict={self.frames: frames, self.labels: labels})
                losses.append(loss)
            self.saver.save(self.session, os.path.join(self.folder, 'model'), global_step=1)
        return losses

    def recognise(self, frames):
        with self.session.as_default():
            return self.session.run(self.scores, feed_dict={self.frames: frames})


def main(output):
    rng = np.random.RandomState(2)
    batches = [(rng.normal(size=(6, 4)), rng.randint(0, 3, 6)) for _ in range(3)]
    recogniser = Recogniser(tempfile.mkdtemp(), 4, False)
    losses = recogniser.train(batches)
    np.savez(output, losses=losses, scores=recogniser.recognise(batches[0][0]))


if __name__ == '__main__':
    main(sys.argv[1])
