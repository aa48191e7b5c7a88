"""Trains an object that makes its inputs and its loss; optimizer, summaries and saver are here."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

from classifier import SentenceClassifier


def train(sentences, labels, folder):
    history, steps = [], []
    with tf.Graph().as_default():
        sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
        with sess.as_default():
            model = SentenceClassifier(
                length=sentences.shape[1],
                num_classes=labels.shape[1],
                vocabulary=9,
                widths=[2, 3],
                penalty=0.1)

            # Training
            global_step = tf.Variable(0, name='global_step', trainable=False)
            optimizer = tf.train.AdamOptimizer(0.05)
            grads_and_vars = optimizer.compute_gradients(model.loss)
            train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)

            # Gradients, loss and accuracy for TensorBoard
            grad_summaries = []
            for g, v in grads_and_vars:
                if g is not None:
                    grad_summaries.append(tf.summary.histogram('{}/grad'.format(v.op.name), g))
            loss_summary = tf.summary.scalar('loss', model.loss)
            acc_summary = tf.summary.scalar('accuracy', model.accuracy)
            train_summary_op = tf.summary.merge(
                [loss_summary, acc_summary, tf.summary.merge(grad_summaries)])
            train_writer = tf.summary.FileWriter(os.path.join(folder, 'train'), sess.graph)
            dev_summary_op = tf.summary.merge([loss_summary, acc_summary])
            dev_writer = tf.summary.FileWriter(os.path.join(folder, 'dev'), sess.graph)

            saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
            sess.run(tf.global_variables_initializer())

            def train_step(words, targets):
                """A single training step."""
                feed_dict = {
                    model.words: words,
                    model.labels: targets,
                    model.keep_prob: 1.0,
                }
                _, step, summaries, loss, accuracy = sess.run(
                    [train_op, global_step, train_summary_op, model.loss, model.accuracy],
                    feed_dict)
                history.append([loss, accuracy])
                train_writer.add_summary(summaries, step)

            def dev_step(words, targets, writer=None):
                """Evaluates the model."""
                feed_dict = {
                    model.words: words,
                    model.labels: targets,
                    model.keep_prob: 1.0,
                }
                step, summaries, loss, accuracy = sess.run(
                    [global_step, dev_summary_op, model.loss, model.accuracy], feed_dict)
                history.append([loss, accuracy])
                steps.append(step)
                if writer:
                    writer.add_summary(summaries, step)

            for round_ in range(4):
                train_step(sentences[round_ % 2::2], labels[round_ % 2::2])
                current_step = tf.train.global_step(sess, global_step)
                if current_step % 2 == 0:
                    dev_step(sentences, labels, writer=dev_writer)
                    path = saver.save(
                        sess, os.path.join(folder, 'model'), global_step=current_step)
            dev_step(sentences[:3], labels[:3])
    return history, steps, sorted(name for name, _ in tf.train.list_variables(path))


def main(output):
    rng = np.random.RandomState(4)
    sentences = rng.randint(0, 9, (8, 5))
    labels = np.eye(3)[rng.randint(0, 3, 8)]
    history, steps, names = train(sentences, labels, tempfile.mkdtemp())
    np.savez(output, history=history, steps=steps, names=names)


if __name__ == '__main__':
    main(sys.argv[1])
