"""Two writers, merged summaries, a summary every other step."""
import os
import sys

import numpy as np
import tensorflow as tf


def main(output):
    logdir = os.path.join(os.path.dirname(output), 'logs')
    x = tf.placeholder(tf.float64, [None, 3])
    with tf.name_scope('model'):
        w = tf.Variable(np.array([[0.5], [-0.25], [1.0]]), name='w')
        y = tf.matmul(x, w)
    loss = tf.reduce_mean(tf.square(y))
    global_step = tf.Variable(0, trainable=False, name='global_step')
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step)

    tf.summary.scalar('loss', loss)
    tf.summary.histogram('weights', w)
    merged = tf.summary.merge_all()

    losses = []
    with tf.Session() as sess:
        train_writer = tf.summary.FileWriter(os.path.join(logdir, 'train'), sess.graph)
        test_writer = tf.summary.FileWriter(os.path.join(logdir, 'test'))
        sess.run(tf.global_variables_initializer())
        for i in range(4):
            data = np.cos(np.arange(6.0) + i).reshape(2, 3)
            if i % 2 == 0:
                summary, value = sess.run([merged, loss], feed_dict={x: data})
                test_writer.add_summary(summary, i)
                losses.append(value)
            else:
                summary, _ = sess.run([merged, train_op], feed_dict={x: data})
                train_writer.add_summary(summary, i)
        train_writer.close()
        test_writer.close()
        steps = sess.run(global_step)
    np.savez(output, losses=losses, steps=steps)


if __name__ == '__main__':
    main(sys.argv[1])
