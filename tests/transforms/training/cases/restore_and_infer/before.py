"""Saves a model, then restores it in another function and runs it."""
import os
import sys

import numpy as np
import tensorflow as tf


def model(images):
    with tf.variable_scope('model'):
        kernel = tf.get_variable(
            'kernel', dtype=tf.float64, initializer=np.linspace(-1.0, 1.0, 12).reshape(4, 3))
        bias = tf.get_variable('bias', [3], tf.float64, tf.zeros_initializer())
    return tf.nn.softmax(tf.matmul(images, kernel) + bias)


def train_and_save(directory, data, labels):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [None, 4])
        onehot = tf.placeholder(tf.float64, [None, 3])
        probabilities = model(x)
        loss = -tf.reduce_mean(tf.reduce_sum(onehot * tf.log(probabilities), axis=1))
        global_step = tf.Variable(0, trainable=False, name='global_step')
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=global_step)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(train_op, feed_dict={x: data, onehot: labels})
            return saver.save(sess, os.path.join(directory, 'model.ckpt'),
                              global_step=global_step)


def infer(checkpoint, data):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [None, 4], name='x')
        probabilities = model(x)
        best = tf.argmax(probabilities, axis=1)
        saver = tf.train.Saver()
        config = tf.ConfigProto(allow_soft_placement=True)
        with tf.Session(config=config) as sess:
            saver.restore(sess, checkpoint)
            results = sess.run({'best': best, 'probabilities': probabilities},
                               feed_dict={x: data})
    return results


def main(output):
    rng = np.random.RandomState(2)
    data = rng.normal(size=(5, 4))
    labels = np.eye(3)[rng.randint(0, 3, size=5)]
    checkpoint = train_and_save(os.path.dirname(output), data, labels)
    results = infer(checkpoint, data)
    np.savez(output, name=os.path.basename(checkpoint), **results)


if __name__ == '__main__':
    main(sys.argv[1])
