"""Trains a detector with one object and detects with another; both are given the network."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

import settings as cfg
from grid_net import GridNet
from tf1_support import scopes
from tf1_support import checkpoint as tf1_checkpoint
from tf1_support import optimizers
from tf1_support import schedules


class Solver(object):

    def __init__(self, classes, batches, folder):
        self._store = scopes.current_store()
        self.batches = batches

        @tf.function(input_signature=[
            tf.TensorSpec([None, cfg.SIZE, cfg.SIZE, 3], tf.float64),
            tf.TensorSpec([None, cfg.CELLS, cfg.CELLS, 5 + classes], tf.float64),
        ])
        def build(images, labels):
            """Makes the variables that are listed below.

            Args:
                images: float64 [None, cfg.SIZE, cfg.SIZE, 3]
                labels: float64 [None, cfg.CELLS, cfg.CELLS, 5 + classes]
            """
            with self._store.run():
                net = GridNet(images, labels, classes)

        # Tracing makes the variables that are listed here.
        build.get_concrete_function()
        # Only what the network has is kept, neither step nor momentum.
        self.variables = scopes.global_variables()
        self.saver = tf1_checkpoint.Saver(self.variables, max_to_keep=1)
        self.writer = tf.summary.create_file_writer(os.path.join(folder, 'logs'))

        self.global_step = scopes.create_global_step()
        self.rate = schedules.exponential_decay(cfg.RATE, self.global_step, 2, 0.5, True)
        optimizer = optimizers.MomentumOptimizer(self.rate, 0.9)

        @tf.function(input_signature=[
            tf.TensorSpec([None, cfg.SIZE, cfg.SIZE, 3], tf.float64),
            tf.TensorSpec([None, cfg.CELLS, cfg.CELLS, 5 + classes], tf.float64),
            tf.TensorSpec([], tf.int64),
        ])
        def train_step(images, labels, step):
            """One training step; returns net.total_loss.

            Args:
                images: float64 [None, cfg.SIZE, cfg.SIZE, 3]
                labels: float64 [None, cfg.CELLS, cfg.CELLS, 5 + classes]
                step: the summaries' step
            """
            with self.writer.as_default(step=step):
                with self._store.run(), tf.GradientTape() as tape:
                    net = GridNet(images, labels, classes)
                variables = self._store.trainable_variables
                gradients = tape.gradient(net.total_loss, variables)
                optimizer.apply_gradients(zip(gradients, variables), global_step=self.global_step)
                return net.total_loss

        self._train_step = train_step

        @tf.function(input_signature=[
            tf.TensorSpec([None, cfg.SIZE, cfg.SIZE, 3], tf.float64),
            tf.TensorSpec([None, cfg.CELLS, cfg.CELLS, 5 + classes], tf.float64),
            tf.TensorSpec([], tf.int64),
        ])
        def training_step(images, labels, step):
            """One training step.

            Args:
                images: float64 [None, cfg.SIZE, cfg.SIZE, 3]
                labels: float64 [None, cfg.CELLS, cfg.CELLS, 5 + classes]
                step: the summaries' step
            """
            with self.writer.as_default(step=step):
                with self._store.run(), tf.GradientTape() as tape:
                    net = GridNet(images, labels, classes)
                variables = self._store.trainable_variables
                gradients = tape.gradient(net.total_loss, variables)
                optimizer.apply_gradients(zip(gradients, variables), global_step=self.global_step)

        self._training_step = training_step

        @tf.function(input_signature=[
            tf.TensorSpec([None, cfg.SIZE, cfg.SIZE, 3], tf.float64),
            tf.TensorSpec([None, cfg.CELLS, cfg.CELLS, 5 + classes], tf.float64),
        ])
        def train_step_2(images, labels):
            """One training step.

            Args:
                images: float64 [None, cfg.SIZE, cfg.SIZE, 3]
                labels: float64 [None, cfg.CELLS, cfg.CELLS, 5 + classes]
            """
            with self._store.run(), tf.GradientTape() as tape:
                net = GridNet(images, labels, classes)
            variables = self._store.trainable_variables
            gradients = tape.gradient(net.total_loss, variables)
            optimizer.apply_gradients(zip(gradients, variables), global_step=self.global_step)

        self._train_step_2 = train_step_2

        @tf.function(input_signature=[
            tf.TensorSpec([None, cfg.SIZE, cfg.SIZE, 3], tf.float64),
            tf.TensorSpec([None, cfg.CELLS, cfg.CELLS, 5 + classes], tf.float64),
        ])
        def compute_total_loss(images, labels):
            """Computes net.total_loss.

            Args:
                images: float64 [None, cfg.SIZE, cfg.SIZE, 3]
                labels: float64 [None, cfg.CELLS, cfg.CELLS, 5 + classes]
            """
            with self._store.run():
                net = GridNet(images, labels, classes)
            return net.total_loss

        self._compute_total_loss = compute_total_loss

        # Tracing makes the variables, which the checkpoint needs.
        self._train_step.get_concrete_function()
        self._training_step.get_concrete_function()
        self._train_step_2.get_concrete_function()

    def train(self, path):
        losses, rates = [], []
        for step, (images, labels) in enumerate(self.batches, 1):
            feed_dict = {'images': images, 'labels': labels}
            if step % cfg.SUMMARY_EVERY == 0:
                if step == 2:
                    loss = self._train_step(**feed_dict, step=step).numpy()
                    losses.append(loss)
                    rates.append(self.rate.numpy())
                else:
                    self._training_step(**feed_dict, step=step)
            else:
                self._train_step_2(**feed_dict)
        losses.append(self._compute_total_loss(**feed_dict).numpy())
        self.saver.save(path)
        return losses, rates


class Detector(object):

    def __init__(self, classes, path):
        self._store = scopes.current_store()

        @tf.function(input_signature=[tf.TensorSpec([None, cfg.SIZE, cfg.SIZE, 3], tf.float64)])
        def predict(images):
            """Computes network.logits.

            Args:
                images: float64 [None, cfg.SIZE, cfg.SIZE, 3]
            """
            with self._store.run():
                network = GridNet(images, None, classes, False)
            return network.logits

        self._predict = predict

        # Tracing makes the variables, which the checkpoint needs.
        self._predict.get_concrete_function()

        tf1_checkpoint.Saver().restore(path)

    def detect(self, images):
        return tf.nest.map_structure(lambda t: t.numpy(), self._predict(images))


def train(path, folder, classes):
    rng = np.random.RandomState(5)
    batches = [
        (rng.rand(3, cfg.SIZE, cfg.SIZE, 3), rng.rand(3, cfg.CELLS, cfg.CELLS, 5 + classes))
        for _ in range(4)
    ]
    solver = Solver(classes, batches, folder)
    return solver.train(path)


def detect(path, images, classes):
    return Detector(classes, path).detect(images)


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
