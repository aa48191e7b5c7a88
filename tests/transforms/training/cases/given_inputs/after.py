"""Trains an object that makes its inputs and its loss; optimizer, summaries and saver are here."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

from classifier import SentenceClassifier
from tf1_support import gpu
from tf1_support import graphs
from tf1_support import names as tf1_names
from tf1_support import checkpoint
from tf1_support import graph_summaries
from tf1_support import optimizers
from tf1_support import scopes
from tf1_support import summary
from tf1_support import training
from tf1_support import writers


@graphs.building
def train(sentences, labels, folder):
    history, steps = [], []
    with graphs.Graph().as_default():
        model = SentenceClassifier(
            length=sentences.shape[1],
            num_classes=labels.shape[1],
            vocabulary=9,
            widths=[2, 3],
            penalty=0.1)

        # Training
        global_step = scopes.Variable(0, name='global_step', trainable=False)
        optimizer = optimizers.AdamOptimizer(0.05)
        grads_and_vars = optimizer.compute_gradients(model.loss)
        train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)

        # Gradients, loss and accuracy for TensorBoard
        grad_summaries = []
        for g, v in grads_and_vars:
            if g is not None:
                grad_summaries.append(summary.histogram('{}/grad'.format(tf1_names.op_name(v)), g))
        loss_summary = summary.scalar('loss', model.loss)
        acc_summary = summary.scalar('accuracy', model.accuracy)
        train_summary_op = graph_summaries.merge(
            [loss_summary, acc_summary, graph_summaries.merge(grad_summaries)])
        train_writer = writers.FileWriter(os.path.join(folder, 'train'), graphs.default_graph())
        dev_summary_op = graph_summaries.merge([loss_summary, acc_summary])
        dev_writer = writers.FileWriter(os.path.join(folder, 'dev'), graphs.default_graph())

        saver = checkpoint.Saver(scopes.global_variables(), max_to_keep=2)

        def train_step(words, targets):
            """A single training step."""
            run_train_step = graphs.function(
                [model.words, model.labels, model.keep_prob],
                [train_op, global_step, train_summary_op, model.loss, model.accuracy])
            _, step, summaries, loss, accuracy = run_train_step(words, targets, 1.0)
            history.append([loss, accuracy])
            train_writer.add_summary(summaries, step)

        def dev_step(words, targets, writer=None):
            """Evaluates the model."""
            dev_summary_step = graphs.function(
                [model.words, model.labels, model.keep_prob],
                [global_step, dev_summary_op, model.loss, model.accuracy])
            step, summaries, loss, accuracy = dev_summary_step(words, targets, 1.0)
            history.append([loss, accuracy])
            steps.append(step)
            if writer:
                writer.add_summary(summaries, step)

        for round_ in range(4):
            train_step(sentences[round_ % 2::2], labels[round_ % 2::2])
            current_step = training.global_step(global_step)
            if current_step % 2 == 0:
                dev_step(sentences, labels, writer=dev_writer)
                path = saver.save(
                    os.path.join(folder, 'model'), global_step=current_step)
        dev_step(sentences[:3], labels[:3])
    return history, steps, sorted(name for name, _ in tf.train.list_variables(path))


def main(output):
    rng = np.random.RandomState(4)
    sentences = rng.randint(0, 9, (8, 5))
    labels = np.eye(3)[rng.randint(0, 3, 8)]
    gpu.configure_gpus('growth', soft_placement=True)
    history, steps, names = train(sentences, labels, tempfile.mkdtemp())
    np.savez(output, history=history, steps=steps, names=names)


if __name__ == '__main__':
    main(sys.argv[1])
