"""One network, two data sets: a reinitializable iterator switches between them."""
import sys

import numpy as np
import tensorflow as tf

BATCH_SIZE = 4


def main(output):
    rng = np.random.RandomState(5)
    train_x, train_y = rng.normal(size=(12, 3)), rng.normal(size=(12, 1))
    test_x, test_y = rng.normal(size=(8, 3)), rng.normal(size=(8, 1))

    train_data = tf.data.Dataset.from_tensor_slices((train_x, train_y)).batch(BATCH_SIZE)
    test_data = tf.data.Dataset.from_tensor_slices((test_x, test_y)).batch(BATCH_SIZE)

    iterator = tf.data.Iterator.from_structure(train_data.output_types,
                                               train_data.output_shapes)
    features, targets = iterator.get_next()
    train_init = iterator.make_initializer(train_data)
    test_init = iterator.make_initializer(test_data)

    w = tf.Variable(np.ones((3, 1)), name='w')
    prediction = tf.matmul(features, w)
    loss = tf.reduce_mean(tf.square(prediction - targets))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    train_losses, test_losses = [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(2):
            sess.run(train_init)
            try:
                while True:
                    _, l = sess.run([train_op, loss])
                    train_losses.append(l)
            except tf.errors.OutOfRangeError:
                pass
            sess.run(test_init)  # held-out data
            try:
                while True:
                    test_losses.append(sess.run(loss))
            except tf.errors.OutOfRangeError:
                pass
    np.savez(output, train=train_losses, test=test_losses)


if __name__ == '__main__':
    main(sys.argv[1])
