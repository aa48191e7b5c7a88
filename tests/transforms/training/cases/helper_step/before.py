"""Segmentation: a helper makes the training op under the updates of batch normalisation."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf


def overlap(predicted, labels):
    both = tf.reduce_sum(predicted * labels, [1, 2])
    return tf.reduce_mean(both / (tf.reduce_sum(predicted + labels, [1, 2]) - both))


def network(images, training):
    net = tf.layers.conv2d(images, 3, 3, padding='same', name='conv',
                           kernel_initializer=tf.constant_initializer(0.1))
    net = tf.layers.batch_normalization(net, training=training, name='norm', momentum=0.5,
                                        fused=False)
    return tf.layers.conv2d(net, 1, 1, activation=tf.nn.sigmoid, name='out',
                            kernel_initializer=tf.constant_initializer(0.3))


def make_train_op(predicted, expected):
    loss = -overlap(predicted, expected)
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(0.05)
    return optimizer.minimize(loss, global_step=global_step)


def main(output):
    images = tf.placeholder(tf.float64, [None, 6, 6, 2], name='images')
    labels = tf.placeholder(tf.float64, [None, 6, 6, 1], name='labels')  # 1 where the object is
    training = tf.placeholder(tf.bool, name='training')
    predicted = network(images, training)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = make_train_op(predicted, labels)
    score = overlap(predicted, labels)
    tf.summary.scalar('score', score)
    merged = tf.summary.merge_all()

    folder = tempfile.mkdtemp()
    rng = np.random.RandomState(0)
    scores = []
    with tf.Session() as sess:
        writer = tf.summary.FileWriter(os.path.join(folder, 'train'), sess.graph)
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        try:
            for step in range(3):
                data = rng.uniform(size=(2, 6, 6, 2))
                mask = (data[..., :1] > 0.5).astype(np.float64)
                _, summary = sess.run(
                    [train_op, merged], feed_dict={images: data, labels: mask, training: True})
                writer.add_summary(summary, step)
                scores.append(sess.run(
                    score, feed_dict={images: data, labels: mask, training: False}))
        finally:
            saver.save(sess, os.path.join(folder, 'model.ckpt'))
    writer.close()
    np.savez(output, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])
