"""A main that runs a graph of its own beside an Estimator, which has another one."""
import os
import sys

import numpy as np
import tensorflow as tf


def builder(rate):
    def model_fn(features, labels, mode):
        y = tf.layers.dense(features['x'], 1, kernel_initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(y - labels))
        count = len(tf.trainable_variables())
        train = tf.train.GradientDescentOptimizer(rate / count).minimize(
            loss, tf.train.get_or_create_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
    return model_fn


def rows():
    x = np.arange(8, dtype=np.float32).reshape(8, 1)
    data = tf.data.Dataset.from_tensor_slices((x, np.ones([8, 1], np.float32)))
    return data.map(lambda x, y: ({'x': x}, y)).batch(2).repeat()


def main(output):
    size = tf.placeholder(tf.float32, [None])
    scale = tf.get_variable('scale', initializer=2.0)
    folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'model')
    estimator = tf.estimator.Estimator(builder(0.01), model_dir=folder)
    estimator.train(rows, max_steps=3)
    found = estimator.evaluate(rows, steps=2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        doubled = sess.run(size * scale, {size: [1.0, 4.0]})
        names = [v.op.name for v in tf.global_variables()]
    np.savez(output, loss=found['loss'], step=found['global_step'], doubled=doubled, names=names)


if __name__ == '__main__':
    main(sys.argv[1])
