"""The step of the summaries is fetched by the run that makes them; some fetches nobody reads."""
import os
import sys

import numpy as np
import tensorflow as tf


def main(output):
    x = tf.placeholder(tf.float64, [None, 4], name='x')
    y = tf.placeholder(tf.float64, [None], name='y')
    predicted = tf.layers.dense(x, 1, kernel_initializer=tf.constant_initializer(0.1))[:, 0]
    largest = tf.reduce_max(predicted)
    loss = tf.reduce_mean(tf.square(predicted - y))
    with tf.name_scope('counting'):
        step = tf.Variable(0, trainable=False, name='step')
    optimizer = tf.train.AdamOptimizer(0.01)
    train_op = optimizer.minimize(loss, global_step=step)
    tf.summary.scalar('loss', loss)
    merged = tf.summary.merge_all()
    saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
    rng = np.random.RandomState(0)
    folder = os.path.join(os.path.dirname(output), 'fetched_step')
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter(folder, sess.graph)
        for _ in range(5):
            _, highest, value, summary, count = sess.run(
                [train_op, largest, loss, merged, step],
                feed_dict={x: rng.rand(3, 4), y: rng.rand(3)})
            if count % 2 == 0:
                writer.add_summary(summary, count)
            losses.append(value)
        saver.save(sess, os.path.join(folder, 'model'), global_step=5)
        writer.close()
    saved = tf.train.load_checkpoint(folder).get_variable_to_shape_map()
    np.savez(output, losses=losses, saved=sorted(saved))


if __name__ == '__main__':
    main(sys.argv[1])
