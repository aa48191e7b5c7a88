"""Loops of contrib: train with hooks, evaluate_once and evaluate_repeatedly."""
import os
import sys

import numpy as np
import tensorflow as tf


def model():
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable('w', initializer=tf.constant([0.5, -1.0]))
    loss = tf.reduce_sum(tf.square(w - 2.0))
    return step, w, loss


def main(output):
    folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'run')
    with tf.Graph().as_default():
        step, w, loss = model()
        train_op = tf.contrib.training.create_train_op(
            loss, tf.train.GradientDescentOptimizer(0.1), global_step=step)
        final = tf.contrib.training.train(
            train_op, folder, hooks=[tf.train.StopAtStepHook(last_step=4)],
            save_checkpoint_secs=300, save_summaries_steps=2)
    with tf.Graph().as_default():
        step, w, loss = model()
        mean, update = tf.metrics.mean(loss)
        tf.summary.scalar('loss', mean)
        once = tf.contrib.training.evaluate_once(
            tf.train.latest_checkpoint(folder), eval_ops=[update], final_ops={'m': mean, 's': step},
            hooks=[tf.contrib.training.StopAfterNEvalsHook(3),
                   tf.contrib.training.SummaryAtEndHook(folder + '_eval')])
    with tf.Graph().as_default():
        step, w, loss = model()
        total, count = tf.metrics.mean(loss * 10.0)
        again = tf.contrib.training.evaluate_repeatedly(
            folder, eval_ops=count, final_ops=[total, step], max_number_of_evaluations=1,
            eval_interval_secs=0, timeout=1,
            hooks=[tf.contrib.training.StopAfterNEvalsHook(2)])
    np.savez(output, final=final, once=once['m'], step=once['s'], again=again)


if __name__ == '__main__':
    main(sys.argv[1])
