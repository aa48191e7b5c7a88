"""Three runs of one network: two halves that some share, a scope that goes on, and a list of parts."""
import sys

import numpy as np
import tensorflow as tf


def start(shape):
    return 0.3 * np.sin(np.arange(np.prod(shape), dtype=np.float64) + len(shape)).reshape(shape)


x = tf.placeholder(tf.float64, [None, 6])  # what is told again
keep = tf.placeholder(tf.float64, [])

weights = {name: tf.get_variable(name, initializer=start(shape)) for name, shape in (
    ('w1', [6, 4]), ('w2', [4, 2]), ('w3', [2, 4]), ('w4', [4, 6]))}

# the first half
with tf.name_scope('encoder'):
    hidden = tf.nn.tanh(tf.matmul(x, weights['w1']))
    parts = [hidden * scale for scale in (0.5, 0.25)]
    both = tf.add_n(parts)
    code = tf.matmul(both, weights['w2'])

# the second half
with tf.name_scope('decoder'):
    wide = tf.nn.relu(tf.matmul(code, weights['w3']))
    told = tf.matmul(wide, weights['w4'])
    error = tf.square(told - x)
    scaled = [tf.reduce_sum(error) * scale for scale in (1.0, keep)]
loss = tf.add_n(scaled) / 4.0
train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = []
    rng = np.random.RandomState(3)
    for i in range(4):
        batch = rng.normal(size=(5, 6))
        _, value = sess.run([train, loss], feed_dict={x: batch, keep: 0.5 + i})
        losses.append(value)
        again = sess.run(told, feed_dict={x: batch})
    codes = sess.run(code, {x: batch})

np.savez(sys.argv[1], losses=losses, again=again, codes=codes)
