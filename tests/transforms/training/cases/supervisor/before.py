"""Training under a Supervisor."""
import os
import sys

import numpy as np
import tensorflow as tf


def main(output):
    directory = os.path.join(os.path.dirname(os.path.abspath(output)), 'supervised')
    rng = np.random.RandomState(23)
    data, targets = rng.normal(size=(6, 2)), rng.normal(size=6)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [None, 2])
        y = tf.placeholder(tf.float64, [None])
        global_step = tf.train.get_or_create_global_step()
        w = tf.get_variable('w', initializer=np.array([0.5, -0.5]))
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y))
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
        supervisor = tf.train.Supervisor(logdir=directory, save_model_secs=600, summary_op=None,
                                         global_step=global_step)
        losses = []
        with supervisor.managed_session() as sess:
            while not supervisor.should_stop() and len(losses) < 3:
                value, _ = sess.run([loss, train_op], feed_dict={x: data, y: targets})
                losses.append(value)
            final = sess.run(w)
    np.savez(output, losses=losses, final=final)


if __name__ == '__main__':
    main(sys.argv[1])
