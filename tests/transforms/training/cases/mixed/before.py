"""One function runs what its caller names, the other a known tensor; they share a network."""
import os
import sys

import numpy as np
import tensorflow as tf

import networks


def run_steps(names, count, data, labels, path):
    """Runs the operations called `names`; their values in the last step."""
    x = tf.placeholder(tf.float64, [None, 3], name='x')
    y = tf.placeholder(tf.int32, [None], name='y')
    logits = networks.network(x, True)
    tf.losses.sparse_softmax_cross_entropy(y, logits)
    loss = tf.losses.get_total_loss()
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss)
    operations = {'loss': loss, 'train': train_op, 'logits': logits}
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(count):
            values = sess.run([operations[name] for name in names], feed_dict={x: data, y: labels})
        saver.save(sess, path)
    return values


def infer(data, path):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [None, 3], name='x')
        probabilities = tf.nn.softmax(networks.network(x, False))
        saver = tf.train.Saver()
        with tf.Session() as sess:
            saver.restore(sess, path)
            return sess.run(probabilities, feed_dict={x: data})


def main(output):
    rng = np.random.RandomState(21)
    data, labels = rng.normal(size=(6, 3)), rng.randint(0, 2, size=6)
    path = os.path.join(os.path.dirname(os.path.abspath(output)), 'mixed.ckpt')
    loss, _ = run_steps(['loss', 'train'], 3, data, labels, path)
    np.savez(output, loss=loss, probabilities=infer(data, path))


if __name__ == '__main__':
    main(sys.argv[1])
