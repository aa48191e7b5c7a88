"""A monitored session with hooks of all kinds, its own and TensorFlow's; then it goes on."""
import os
import sys

import numpy as np
import tensorflow as tf


class Recorder(tf.train.SessionRunHook):

    def __init__(self, loss):
        self.loss = loss
        self.calls = []
        self.values = []

    def begin(self):
        self.step = tf.train.get_global_step()
        self.double = self.loss * 2.0
        self.calls.append('begin')

    def after_create_session(self, session, coord):
        self.calls.append('created at %d' % session.run(self.step))

    def before_run(self, run_context):
        self.calls.append('before')
        return tf.train.SessionRunArgs([self.double, self.step])

    def after_run(self, run_context, run_values):
        double, step = run_values.results
        self.values.append(double)
        self.calls.append('after %d' % run_context.session.run(self.step))
        if double < 1e-3:
            run_context.request_stop()

    def end(self, session):
        self.calls.append('end at %d' % session.run(self.step))


class Listener(tf.train.CheckpointSaverListener):

    def __init__(self):
        self.saved = []

    def after_save(self, session, global_step_value):
        self.saved.append(global_step_value)


class FeedRate(tf.train.SessionRunHook):

    def __init__(self, rate):
        self.rate = rate
        self.count = 0

    def before_run(self, run_context):
        self.count += 1
        return tf.train.SessionRunArgs(fetches=None, feed_dict={self.rate: 0.1 / self.count})


def run(folder, steps, data):
    with tf.Graph().as_default():
        global_step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float64, [None, 3])
        rate = tf.placeholder(tf.float64, [])
        w = tf.get_variable('w', dtype=tf.float64, initializer=np.array([0.1, 0.2, -0.3]))
        counter = tf.get_variable('counter', [], tf.int64, tf.zeros_initializer(),
                                  trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - 1.0))
        tf.summary.scalar('loss', loss)
        optimizer = tf.train.MomentumOptimizer(rate, 0.9)
        with tf.control_dependencies([tf.assign_add(counter, 1)]):
            train_op = optimizer.minimize(loss, global_step=global_step)
        recorder, listener = Recorder(loss), Listener()
        saver_hook = tf.train.CheckpointSaverHook(
            folder, save_steps=2, saver=tf.train.Saver(), listeners=[listener])
        losses = []
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=folder, save_checkpoint_secs=None, save_summaries_steps=2,
                hooks=[tf.train.StopAtStepHook(num_steps=steps), recorder, FeedRate(rate),
                       tf.train.NanTensorHook(loss)],
                chief_only_hooks=[saver_hook]) as sess:
            while not sess.should_stop():
                _, value, step = sess.run([train_op, loss, global_step], feed_dict={x: data})
                losses.append(value)
            count = step
        return losses, recorder.values, recorder.calls, listener.saved, count


def summaries(folder):
    found = []
    for name in sorted(os.listdir(folder)):
        if 'tfevents' in name:
            for event in tf.train.summary_iterator(os.path.join(folder, name)):
                for value in event.summary.value:
                    if value.tag == 'loss':
                        found.append((event.step, value.simple_value))
    return sorted(found)


def main(output):
    folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'logs')
    data = np.random.RandomState(9).normal(size=(6, 3))
    first = run(folder, 5, data)
    second = run(folder, 3, data)
    tf.train.SummaryWriterCache.clear() if hasattr(tf.train, 'SummaryWriterCache') else None
    np.savez(output, losses=first[0] + second[0], doubles=first[1] + second[1],
             calls=np.array(first[2] + second[2]), saved=first[3] + second[3],
             counts=[first[4], second[4]], summaries=summaries(folder),
             latest=os.path.basename(tf.train.latest_checkpoint(folder)))


if __name__ == '__main__':
    main(sys.argv[1])
