"""Trains a detector with one object and detects with another; both are given the network."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

import settings as cfg
from grid_net import GridNet


class Solver(object):

    def __init__(self, net, batches, folder):
        self.net = net
        self.batches = batches
        # Only what the network has is kept, neither step nor momentum.
        self.variables = tf.global_variables()
        self.saver = tf.train.Saver(self.variables, max_to_keep=1)
        self.summary_op = tf.summary.merge_all()
        self.writer = tf.summary.FileWriter(os.path.join(folder, 'logs'))

        self.global_step = tf.train.create_global_step()
        self.rate = tf.train.exponential_decay(cfg.RATE, self.global_step, 2, 0.5, True)
        self.train_op = tf.train.MomentumOptimizer(self.rate, 0.9).minimize(
            self.net.total_loss, global_step=self.global_step)

        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, path):
        losses, rates = [], []
        for step, (images, labels) in enumerate(self.batches, 1):
            feed_dict = {self.net.images: images, self.net.labels: labels}
            if step % cfg.SUMMARY_EVERY == 0:
                if step == 2:
                    summary, loss, _ = self.sess.run(
                        [self.summary_op, self.net.total_loss, self.train_op],
                        feed_dict=feed_dict)
                    losses.append(loss)
                    rates.append(self.rate.eval(session=self.sess))
                else:
                    summary, _ = self.sess.run([self.summary_op, self.train_op], feed_dict=feed_dict)
                self.writer.add_summary(summary, step)
            else:
                self.sess.run(self.train_op, feed_dict=feed_dict)
        losses.append(self.sess.run(self.net.total_loss, feed_dict=feed_dict))
        self.saver.save(self.sess, path)
        return losses, rates


class Detector(object):

    def __init__(self, network, path):
        self.network = network
        self.sess = tf.Session()
        tf.train.Saver().restore(self.sess, path)

    def detect(self, images):
        return self.sess.run(self.network.logits, feed_dict={self.network.images: images})


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
    tf.reset_default_graph()
    images = np.random.RandomState(6).rand(2, cfg.SIZE, cfg.SIZE, 3)
    np.savez(path, losses=losses, rates=rates, detected=detect(checkpoint, images, 2),
             saved=np.array(saved))


if __name__ == '__main__':
    main(sys.argv[1])
