"""Trains on the batches that another module reads from text files."""
import os
import sys

import numpy as np
import tensorflow as tf

import data_input


def write_csv(path, offset):
    with open(path, 'w') as stream:
        stream.write('a,b,label\n')
        for index in range(5):
            stream.write('%d,%d,%d\n' % (index + offset, index * 2 - offset, index % 3))


def train(paths):
    with tf.Graph().as_default():
        features, labels = data_input.distorted_inputs(paths, batch_size=4)
        kernel = tf.get_variable('kernel', dtype=tf.float64,
                                 initializer=np.linspace(-1.0, 1.0, 6).reshape(2, 3))
        logits = tf.matmul(features, kernel)
        loss = tf.losses.softmax_cross_entropy(labels, logits)
        train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        losses = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            try:
                while not coord.should_stop():
                    _, value = sess.run([train_op, loss])
                    losses.append(value)
            except tf.errors.OutOfRangeError:
                print('done')
            except Exception as error:
                coord.request_stop(error)
            finally:
                coord.request_stop()
                coord.join(threads)
            final = sess.run(kernel)
    return losses, final


def main(output):
    folder = os.path.dirname(os.path.abspath(output))
    paths = [os.path.join(folder, 'part%d.csv' % i) for i in range(2)]
    for offset, path in enumerate(paths):
        write_csv(path, offset)
    losses, final = train(paths)
    np.savez(output, losses=losses, final=final)


if __name__ == '__main__':
    main(sys.argv[1])
