"""An initializable iterator, initialised anew for every epoch."""
import sys

import numpy as np
import tensorflow as tf

EPOCHS = 2


def train(output):
    values = np.linspace(-1.0, 1.0, 24).reshape(6, 4)
    dataset = tf.data.Dataset.from_tensor_slices({'x': values, 'y': values.sum(axis=1)})
    dataset = dataset.batch(2)
    iterator = dataset.make_initializable_iterator()
    batch = iterator.get_next()

    w = tf.get_variable('w', [4, 1], dtype=tf.float64, initializer=tf.zeros_initializer())
    prediction = tf.squeeze(tf.matmul(batch['x'], w), 1)
    loss = tf.reduce_sum(tf.square(prediction - batch['y']))
    train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(EPOCHS):
            sess.run(iterator.initializer)
            total = 0.0
            while True:
                try:
                    _, value = sess.run([train_op, loss])
                    total += value
                except tf.errors.OutOfRangeError:
                    break
            losses.append(total)
            print('epoch %d: %.4f' % (epoch, total))
        weights = sess.run(w)
    np.savez(output, losses=losses, weights=weights)


if __name__ == '__main__':
    train(sys.argv[1])
