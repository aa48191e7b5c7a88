"""Trains an object that makes its inputs and its loss; optimizer, summaries and saver are here."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

from classifier import SentenceClassifier
from tf1_support import gpu
from tf1_support import names as tf1_names
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import optimizers
from tf1_support import summary


def train(sentences, labels, folder):
    history, steps = [], []
    with scopes.VariableStore().as_default() as store:
        # Training
        global_step = scopes.Variable(0, name='global_step', trainable=False)
        optimizer = optimizers.AdamOptimizer(0.05)
        train_writer = tf.summary.create_file_writer(os.path.join(folder, 'train'))

        @tf.function(input_signature=[
            tf.TensorSpec([None, sentences.shape[1]], tf.int32),
            tf.TensorSpec([None, labels.shape[1]], tf.float64),
            tf.TensorSpec(None, tf.float64),
        ])
        def training_step(model_words, model_labels, keep_prob):
            """One training step; returns global_step, model.loss and model.accuracy.

            Args:
                model_words: int32 [None, sentences.shape[1]]
                model_labels: float64 [None, labels.shape[1]]
                keep_prob: float64 of any shape
            """
            step = tf.cast(global_step, tf.int64) + 1
            with train_writer.as_default(step=step):
                with store.run(), tf.GradientTape() as tape:
                    model = SentenceClassifier(
                        model_words, model_labels, keep_prob,
                        length=sentences.shape[1],
                        num_classes=labels.shape[1],
                        vocabulary=9,
                        widths=[2, 3],
                        penalty=0.1)
                gradients = tape.gradient(model.loss, store.trainable_variables)
                grads_and_vars = list(zip(gradients, store.trainable_variables))
                optimizer.apply_gradients(grads_and_vars, global_step=global_step)
                # Gradients, loss and accuracy for TensorBoard
                grad_summaries = []
                for g, v in grads_and_vars:
                    if g is not None:
                        grad_summaries.append(summary.histogram('{}/grad'.format(tf1_names.op_name(v)), g))
                loss_summary = summary.scalar('loss', model.loss)
                acc_summary = summary.scalar('accuracy', model.accuracy)
                return global_step, model.loss, model.accuracy

        # Tracing makes the variables, which the checkpoint needs.
        training_step.get_concrete_function()

        dev_writer = tf.summary.create_file_writer(os.path.join(folder, 'dev'))

        @tf.function(input_signature=[
            tf.TensorSpec([None, sentences.shape[1]], tf.int32),
            tf.TensorSpec([None, labels.shape[1]], tf.float64),
            tf.TensorSpec(None, tf.float64),
            tf.TensorSpec([], tf.bool),
        ])
        def evaluate_step(model_words, model_labels, keep_prob, write_summaries):
            """Computes global_step, model.loss and model.accuracy.

            Args:
                model_words: int32 [None, sentences.shape[1]]
                model_labels: float64 [None, labels.shape[1]]
                keep_prob: float64 of any shape
                write_summaries: whether to write summaries
            """
            step = tf.cast(global_step, tf.int64)
            with dev_writer.as_default(step=step), tf.summary.record_if(write_summaries):
                with store.run():
                    model = SentenceClassifier(
                        model_words, model_labels, keep_prob,
                        length=sentences.shape[1],
                        num_classes=labels.shape[1],
                        vocabulary=9,
                        widths=[2, 3],
                        penalty=0.1)
                    loss_summary = summary.scalar('loss', model.loss)
                    acc_summary = summary.scalar('accuracy', model.accuracy)
                return global_step, model.loss, model.accuracy

        saver = checkpoint.Saver(max_to_keep=2)

        def train_step(words, targets):
            """A single training step."""
            feed_dict = {
                'model_words': words,
                'model_labels': targets,
                'keep_prob': 1.0,
            }
            step, loss, accuracy = tf.nest.map_structure(lambda t: t.numpy(), training_step(
                **feed_dict))
            history.append([loss, accuracy])

        def dev_step(words, targets, writer=None):
            """Evaluates the model."""
            feed_dict = {
                'model_words': words,
                'model_labels': targets,
                'keep_prob': 1.0,
            }
            step, loss, accuracy = tf.nest.map_structure(lambda t: t.numpy(), evaluate_step(
                **feed_dict, write_summaries=writer is not None))
            history.append([loss, accuracy])
            steps.append(step)

        for round_ in range(4):
            train_step(sentences[round_ % 2::2], labels[round_ % 2::2])
            current_step = int(global_step)
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
