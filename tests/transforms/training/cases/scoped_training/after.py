"""A model that makes its step, its summaries and its training operation below variable scopes."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import summary_pb2
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import contrib_training
from tf1_support import graph_summaries
from tf1_support import initializers
from tf1_support import layers
from tf1_support import scopes
from tf1_support import slim
from tf1_support import summary


class Model(object):
    def __init__(self, stages):
        self.images = graphs.placeholder(tf.float32, [None, 4])
        self.targets = graphs.placeholder(tf.float32, [None, 2])
        self.losses = []
        last = self.images
        for number in range(stages):
            with scopes.variable_scope('stage%d_loss' % number):
                last = layers.dense(last, 2, kernel_initializer=initializers.ones_initializer())
                self.losses.append(tf.nn.l2_loss(last - self.targets))
            summary.scalar('stage%d_loss' % number, self.losses[-1])

    def train(self, rate):
        self.total = tf.add_n(self.losses)
        with scopes.variable_scope('train'):
            self.step = slim.get_or_create_global_step()
            self.train_op = contrib_training.optimize_loss(
                loss=self.total, global_step=self.step, learning_rate=rate, optimizer='SGD')


@graphs.building
def main(output):
    model = Model(2)
    model.train(0.01)
    merged = graph_summaries.merge_all()
    saver = checkpoint.Saver()
    rng = np.random.RandomState(4)
    x, y = rng.rand(5, 4), rng.rand(5, 2)
    totals = []
    train_step = graphs.function(
        [model.images, model.targets],
        [model.total, model.train_op, merged])
    for _ in range(3):
        total, _, shown = train_step(x, y)
        totals.append(total)
    saver.save('./kept')
    tags = sorted(value.tag for value in summary_pb2.Summary.FromString(shown).value)
    kept = [name for name, _ in tf.train.list_variables('./kept')]
    np.savez(output, totals=totals, kept=kept, tags=tags)


if __name__ == '__main__':
    main(sys.argv[1])
