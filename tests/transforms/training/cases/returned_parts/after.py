"""A recogniser whose constructor keeps what its building method returns: inputs, loss, training op."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
class Recogniser(object):

    def __init__(self, folder, features, restore):
        self.folder = folder
        (self.frames, self.labels, self.scores, self.train_op, self.loss,
         self.init) = self.build(features)
        graphs.perform(self.init)
        self.saver = checkpoint.Saver(scopes.global_variables(), max_to_keep=2)
        if restore:
            self.saver.restore(tf.train.latest_checkpoint(folder))

    def build(self, features):
        def layer(inputs, size, name):
            with scopes.variable_scope(name):
                weight = scopes.get_variable('weight', [features, size], tf.float64,
                                             initializers.constant_initializer(0.1, tf.float64))
                return tf.nn.softplus(tf.matmul(inputs, weight))

        frames = graphs.placeholder(tf.float64, [None, features])
        # One class for each frame.
        labels = graphs.placeholder(tf.int64, [None])
        offset = scopes.Variable(np.linspace(-1.0, 1.0, 3), name='offset')
        scores = layer(frames, 3, 'scores') + offset
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores))
        train_op = optimizers.AdamOptimizer(learning_rate=0.05).minimize(loss)
        return frames, labels, scores, train_op, loss, graphs.global_variables_initializer()

    def train(self, batches):
        losses = []
        train_step = graphs.function([self.frames, self.labels], [self.train_op, self.loss])
        for frames, labels in batches:
            _, loss = train_step(frames, labels)
            losses.append(loss)
        self.saver.save(os.path.join(self.folder, 'model'), global_step=1)
        return losses

    def recognise(self, frames):
        compute_scores = graphs.function([self.frames], self.scores)
        return compute_scores(frames)


def main(output):
    rng = np.random.RandomState(2)
    batches = [(rng.normal(size=(6, 4)), rng.randint(0, 3, 6)) for _ in range(3)]
    recogniser = Recogniser(tempfile.mkdtemp(), 4, False)
    losses = recogniser.train(batches)
    np.savez(output, losses=losses, scores=recogniser.recognise(batches[0][0]))


if __name__ == '__main__':
    main(sys.argv[1])
