"""Training under MonitoredTrainingSession, with hooks and checkpoints; then it goes on."""
import os
import sys

import numpy as np
import tensorflow as tf


def train(directory, last_step, data, labels):
    losses = []
    with tf.Graph().as_default():
        global_step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float64, [None, 3])
        y = tf.placeholder(tf.float64, [None])
        w = tf.get_variable('w', dtype=tf.float64, initializer=np.array([0.1, 0.2, -0.3]))
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y))
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=global_step)

        hooks = [
            tf.train.StopAtStepHook(last_step=last_step),
            tf.train.NanTensorHook(loss),
            tf.train.LoggingTensorHook({'step': global_step, 'loss': loss}, every_n_iter=2),
        ]
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=directory, hooks=hooks, save_checkpoint_secs=60,
                config=tf.ConfigProto(log_device_placement=False)) as mon_sess:
            while not mon_sess.should_stop():
                _, loss_value, step = mon_sess.run([train_op, loss, global_step],
                                                   feed_dict={x: data, y: labels})
                losses.append(loss_value)
    return losses


def main(output):
    directory = os.path.join(os.path.dirname(os.path.abspath(output)), 'train_logs')
    rng = np.random.RandomState(9)
    data, labels = rng.normal(size=(6, 3)), rng.normal(size=6)
    first = train(directory, 3, data, labels)
    second = train(directory, 5, data, labels)  # goes on where the first stopped
    np.savez(output, first=first, second=second)


if __name__ == '__main__':
    main(sys.argv[1])
