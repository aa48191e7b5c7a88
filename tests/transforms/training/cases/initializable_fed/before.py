"""An initializable iterator that is fed the arrays it goes over."""
import sys

import numpy as np
import tensorflow as tf


def main(output):
    features_placeholder = tf.placeholder(tf.float64, [None, 2])
    labels_placeholder = tf.placeholder(tf.float64, [None])
    dataset = tf.data.Dataset.from_tensor_slices((features_placeholder, labels_placeholder))
    dataset = dataset.batch(3)
    iterator = dataset.make_initializable_iterator()
    x, y = iterator.get_next()

    slope = tf.Variable([0.5, -0.5], dtype=tf.float64, name='slope')
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * slope, axis=1) - y))
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss)

    rng = np.random.RandomState(6)
    data, target = rng.normal(size=(6, 2)), rng.normal(size=6)
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(2):
            sess.run(iterator.initializer, feed_dict={features_placeholder: data,
                                                      labels_placeholder: target})
            while True:
                try:
                    _, value = sess.run([train_op, loss])
                    losses.append(value)
                except tf.errors.OutOfRangeError:
                    break
    np.savez(output, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
