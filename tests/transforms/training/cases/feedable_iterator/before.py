"""Training and validation through one iterator that a run chooses by its handle."""
import sys

import numpy as np
import tensorflow as tf


def data_set(seed, count, size):
    rng = np.random.RandomState(seed)
    rows = rng.uniform(size=(count, 4)), rng.randint(0, 3, count)
    return tf.data.Dataset.from_tensor_slices(rows).batch(size)


def main(output):
    training_data, held_out = data_set(0, 12, 4), data_set(1, 6, 3)
    training_iterator = training_data.make_initializable_iterator()
    held_out_iterator = held_out.make_initializable_iterator()

    # Which of them a run reads from.
    handle = tf.placeholder(tf.string, [], name='handle')
    iterator = tf.data.Iterator.from_string_handle(
        handle, training_data.output_types, training_data.output_shapes)
    rows, labels = iterator.get_next()
    training = tf.placeholder(tf.bool, name='training')

    weight = tf.get_variable('weight', initializer=np.linspace(-0.5, 0.5, 12).reshape(4, 3))
    logits = tf.matmul(rows, weight)
    logits = tf.where(tf.fill([tf.shape(rows)[0]], training), 2.0 * logits, logits)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    hits = tf.reduce_sum(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float64))
    step = tf.train.get_or_create_global_step()
    rate = tf.train.piecewise_constant(step, [2, 4], [0.1, 0.05, 0.01])
    train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=step)

    losses, rates, scores = [], [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        training_handle, held_out_handle = sess.run(
            [training_iterator.string_handle(), held_out_iterator.string_handle()])
        for _ in range(2):
            sess.run(training_iterator.initializer)
            for _ in range(3):
                _, value, used = sess.run(
                    [train_op, loss, rate], feed_dict={handle: training_handle, training: True})
                losses.append(value)
                rates.append(used)
            sess.run(held_out_iterator.initializer)
            try:
                while True:
                    scores.append(sess.run(
                        [loss, hits], feed_dict={handle: held_out_handle, training: False}))
            except tf.errors.OutOfRangeError:
                pass
    np.savez(output, losses=losses, rates=rates, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])
