"""TF1 programs of several shapes that train on given batches, one of which may be not finite.

Each fits one linear layer to the batches that the test writes into ``batches.npz`` next to it and
saves, for every step, the weights, the global step and the loss.
"""

from __future__ import annotations

HEAD = '''\
import os
import sys

import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = np.load(os.path.join(HERE, 'batches.npz'))


def start(shape, dtype=None, partition_info=None):
    return tf.constant(np.linspace(-0.5, 0.5, np.prod(shape)).reshape(shape), dtype)

'''

GRAPH = '''
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    y = tf.placeholder(tf.float32, [None, 1], name='y')
    step = tf.train.get_or_create_global_step()
    output = tf.layers.dense(x, 1, kernel_initializer=start, name='out')
    loss = tf.reduce_mean(tf.square(tf.cast(output, tf.float32) - y))
'''

LOOP = '''
    weights, steps, losses = [], [], []
    kernel = [v for v in tf.trainable_variables() if 'kernel' in v.name][0]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch, target in zip(DATA['x'], DATA['y']):
            _, value = sess.run([train_op, loss], feed_dict={x: batch, y: target})
            losses.append(value)
            weights.append(sess.run(kernel))
            steps.append(sess.run(step))
    np.savez(path, weights=weights, steps=steps, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
'''

PROGRAMS = {
    "minimize": HEAD + "\ndef main(path):" + GRAPH + '''
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = optimizer.minimize(loss, global_step=step)
''' + LOOP,
    "clipped": HEAD + "\ndef main(path):" + GRAPH + '''
    optimizer = tf.train.AdamOptimizer(0.1)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
    train_op = optimizer.apply_gradients(zip(gradients, variables), global_step=step)
''' + LOOP,
    "scheduled": HEAD + "\ndef main(path):" + GRAPH + '''
    rate = tf.train.exponential_decay(0.1, step, 2, 0.5)
    train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(
        loss * 0.5 + tf.reduce_mean(loss) * 0.25, global_step=step)
''' + LOOP,
    "create_train_op": HEAD + "\ndef main(path):" + GRAPH + '''
    tf.losses.add_loss(loss)
    optimizer = tf.train.RMSPropOptimizer(0.05)
    train_op = tf.contrib.slim.learning.create_train_op(
        tf.losses.get_total_loss(), optimizer, global_step=step)
''' + LOOP,
    "fed rate": HEAD + "\ndef main(path):" + GRAPH + '''
    rate = tf.placeholder(tf.float32, [], name='rate')
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
    count = 0
''' + LOOP.replace('y: target}', 'y: target, rate: 0.1 / (count + 1)}').replace(
        "            losses.append", "            count += 1\n            losses.append"),
    "class": HEAD + '''
class Model(object):

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3], name='x')
        self.y = tf.placeholder(tf.float32, [None, 1], name='y')
        self.step = tf.train.get_or_create_global_step()
        output = tf.layers.dense(self.x, 1, kernel_initializer=start, name='out')
        self.loss = tf.reduce_mean(tf.square(tf.cast(output, tf.float32) - self.y))
        self.kernel = [v for v in tf.trainable_variables() if 'kernel' in v.name][0]
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.train_op = optimizer.minimize(self.loss, global_step=self.step)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def fit(self, batch, target):
        _, value = self.sess.run([self.train_op, self.loss], {self.x: batch, self.y: target})
        return value

    def state(self):
        return self.sess.run([self.kernel, self.step])


def main(path):
    model = Model()
    weights, steps, losses = [], [], []
    for batch, target in zip(DATA['x'], DATA['y']):
        losses.append(model.fit(batch, target))
        kernel, step = model.state()
        weights.append(kernel)
        steps.append(step)
    np.savez(path, weights=weights, steps=steps, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
''',
    "dataset": HEAD + '''

def main(path):
    data = tf.data.Dataset.from_tensor_slices((DATA['x'], DATA['y']))
    x, y = data.make_one_shot_iterator().get_next()
    step = tf.train.get_or_create_global_step()
    output = tf.layers.dense(x, 1, kernel_initializer=start, name='out')
    loss = tf.reduce_mean(tf.square(tf.cast(output, tf.float32) - y))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    weights, steps, losses = [], [], []
    kernel = [v for v in tf.trainable_variables() if 'kernel' in v.name][0]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        try:
            while True:
                _, value = sess.run([train_op, loss])
                losses.append(value)
                weights.append(sess.run(kernel))
                steps.append(sess.run(step))
        except tf.errors.OutOfRangeError:
            pass
    np.savez(path, weights=weights, steps=steps, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
''',
}
