"""A trainer that restores the network alone, and goes on with an optimizer that it had not before."""
import os

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers


class Trainer(object):
    def __init__(self, folder):
        self.path = os.path.join(folder, "trainer.ckpt")
        self.graph = graphs.Graph()
        with self.graph.as_default():
            self.images = graphs.placeholder(tf.float32, [None, 3], "images")
            self.logits = layers.dense(self.images, 2, kernel_initializer=initializers.zeros_initializer(), name="fc")
            self.loss = tf.reduce_mean(tf.square(self.logits - 1.0))
            self.saver = checkpoint.Saver()
            self.sgd = optimizers.GradientDescentOptimizer(0.1).minimize(self.loss)
            self.momentum = optimizers.MomentumOptimizer(0.1, 0.9).minimize(self.loss)

    def fit(self, step, images):
        compute_step_and_loss = graphs.function([self.images], [step, self.loss])
        _, loss = compute_step_and_loss(images)
        return loss


def train(folder):
    images = np.arange(6, dtype=np.float32).reshape(2, 3) / 6
    trainer = Trainer(folder)
    losses = [trainer.fit(trainer.sgd, images) for _ in range(2)]
    trainer.saver.save(trainer.path)
    losses += [trainer.fit(trainer.momentum, images) for _ in range(2)]
    trainer.saver.restore(trainer.path)  # the momentum stays
    losses += [trainer.fit(trainer.momentum, images) for _ in range(2)]
    names = sorted(name for name, _ in tf.train.list_variables(trainer.path))
    return {"losses": losses, "trainer_names": names}
