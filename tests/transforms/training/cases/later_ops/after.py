"""A detector whose later methods add to the graph that its constructor built."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
class Trainer(object):

    def __init__(self, folder):
        self.folder = folder
        with tf.name_scope('input'):
            self.data = graphs.placeholder(tf.float64, [None, 3], name='data')
            self.target = graphs.placeholder(tf.float64, [None], name='target')
        with tf.name_scope('learn_rate'):
            self.global_step = scopes.Variable(1.0, dtype=tf.float64, trainable=False, name='step')
            self.rate = 0.1 / self.global_step
        self.weight = scopes.Variable(np.linspace(0.0, 1.0, 3), name='weight')
        with tf.name_scope('loss'):
            self.predicted = tf.reduce_sum(self.data * self.weight, 1, name='predicted')
            self.loss = tf.reduce_mean(tf.square(self.predicted - self.target))
        optimizer = optimizers.GradientDescentOptimizer(self.rate)
        with tf.control_dependencies([optimizer.minimize(self.loss)]):
            self.train_op = self.global_step.assign_add(1.0)

    def train(self, data, target):
        graphs.run(graphs.global_variables_initializer())
        losses = []
        train_step = graphs.function([self.data, self.target], [self.loss, self.train_op])
        for _ in range(3):
            losses.append(train_step(data, target)[0])
        return losses

    def save(self):
        saver = checkpoint.Saver(scopes.global_variables())
        saver.save(os.path.join(self.folder, 'trained'))

    def squares(self, count):
        values = graphs.run(tf.square(tf.range(count)))
        return np.random.RandomState(0).permutation(values)

    def restored(self, name, data):
        checkpoint.Saver().restore(os.path.join(self.folder, 'trained'))
        return graphs.run(graphs.default_graph().get_tensor_by_name(name), {self.data: data})


def main(output):
    rng = np.random.RandomState(4)
    trainer = Trainer(os.path.dirname(output))
    losses = trainer.train(rng.normal(size=(5, 3)), rng.normal(size=5))
    trainer.save()
    predicted = trainer.restored('loss/predicted:0', rng.normal(size=(2, 3)))
    names = tf.train.list_variables(os.path.join(os.path.dirname(output), 'trained'))
    np.savez(output, losses=losses, predicted=predicted, squares=trainer.squares(4),
             saved=[name for name, _ in names])


if __name__ == '__main__':
    main(sys.argv[1])
