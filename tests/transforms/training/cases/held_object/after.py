"""Trains a detector with one object and detects with another; both are given the network."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

import settings as cfg
from grid_net import GridNet
from tf1_support import graphs
from tf1_support import checkpoint as tf1_checkpoint
from tf1_support import graph_summaries
from tf1_support import optimizers
from tf1_support import schedules
from tf1_support import scopes
from tf1_support import writers


@graphs.building
class Solver(object):

    def __init__(self, net, batches, folder):
        self.net = net
        self.batches = batches
        # Only what the network has is kept, neither step nor momentum.
        self.variables = scopes.global_variables()
        self.saver = tf1_checkpoint.Saver(self.variables, max_to_keep=1)
        self.summary_op = graph_summaries.merge_all()
        self.writer = writers.FileWriter(os.path.join(folder, 'logs'))

        self.global_step = scopes.create_global_step()
        self.rate = schedules.exponential_decay(cfg.RATE, self.global_step, 2, 0.5, True)
        self.train_op = optimizers.MomentumOptimizer(self.rate, 0.9).minimize(
            self.net.total_loss, global_step=self.global_step)

    def train(self, path):
        losses, rates = [], []
        compute_rate = graphs.function([], self.rate)
        for step, (images, labels) in enumerate(self.batches, 1):
            feed_dict = {self.net.images: images, self.net.labels: labels}
            if step % cfg.SUMMARY_EVERY == 0:
                if step == 2:
                    summary, loss, _ = graphs.run(
                        [self.summary_op, self.net.total_loss, self.train_op],
                        feed_dict=feed_dict)
                    losses.append(loss)
                    rates.append(compute_rate())
                else:
                    summary, _ = graphs.run([self.summary_op, self.train_op], feed_dict=feed_dict)
                self.writer.add_summary(summary, step)
            else:
                graphs.run(self.train_op, feed_dict=feed_dict)
        losses.append(graphs.run(self.net.total_loss, feed_dict=feed_dict))
        self.saver.save(path)
        return losses, rates


@graphs.building
class Detector(object):

    def __init__(self, network, path):
        self.network = network
        tf1_checkpoint.Saver().restore(path)

    def detect(self, images):
        compute_logits = graphs.function([self.network.images], self.network.logits)
        return compute_logits(images)


def train(path, folder, classes):
    rng = np.random.RandomState(5)
    batches = [
        (rng.rand(3, cfg.SIZE, cfg.SIZE, 3), rng.rand(3, cfg.CELLS, cfg.CELLS, 5 + classes))
        for _ in range(4)
    ]
    net = GridNet(classes)
    solver = Solver(net, batches, folder)
    return solver.train(path)


def detect(path, images, classes):
    network = GridNet(classes, training=False)
    return Detector(network, path).detect(images)


def main(path):
    folder = tempfile.mkdtemp()
    checkpoint = os.path.join(folder, 'grid')
    losses, rates = train(checkpoint, folder, 2)
    saved = sorted(name for name, _ in tf.train.list_variables(checkpoint))
    scopes.reset_default_store()
    images = np.random.RandomState(6).rand(2, cfg.SIZE, cfg.SIZE, 3)
    np.savez(path, losses=losses, rates=rates, detected=detect(checkpoint, images, 2),
             saved=np.array(saved))


if __name__ == '__main__':
    main(sys.argv[1])
