"""Nothing sees the names of these variables: no saver, collection or scope."""
import sys

import numpy as np
import tensorflow as tf

rate = 0.05
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 2])

# Weights, each trained by another optimizer.
hidden = tf.get_variable('hidden', initializer=tf.constant(np.float32(0.1) * np.arange(12, dtype=np.float32).reshape(3, 4)))
bias = tf.get_variable('bias', [4], initializer=tf.zeros_initializer)
scale = tf.get_variable('scale', shape=(4,), initializer=tf.constant_initializer(2))
out = tf.Variable(tf.fill([4, 2], 0.25), name='out')
fixed = tf.get_variable('fixed', [2], initializer=tf.ones_initializer(), trainable=False)
step = tf.Variable(0, trainable=False, name='step')

hidden_layer = tf.nn.relu(tf.matmul(x, hidden) + bias) * scale
loss = tf.reduce_mean(tf.square(tf.matmul(hidden_layer, out) * fixed - y))
decayed = tf.train.exponential_decay(rate, step, 2, 0.5, staircase=True)
by_descent = tf.train.GradientDescentOptimizer(decayed).minimize(loss, global_step=step)
by_momentum = tf.train.MomentumOptimizer(learning_rate=0.01, momentum=0.9, use_nesterov=True).minimize(loss)
adam = tf.train.AdamOptimizer(rate, beta1=0.5, name='Adam')
by_adam = adam.minimize(loss)
by_adagrad = tf.train.AdagradOptimizer(0.1).minimize(loss)
by_adadelta = tf.train.AdadeltaOptimizer(.5).minimize(loss)
by_rms = tf.train.RMSPropOptimizer(rate).minimize(loss)

rng = np.random.RandomState(3)
losses = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        feed = {x: rng.normal(size=(5, 3)), y: rng.normal(size=(5, 2))}
        for train in range(2):
            losses.append(sess.run([by_descent, loss], feed)[1])
        losses.append(sess.run([by_momentum, loss], feed)[1])
        losses.append(sess.run([by_adam, loss], feed)[1])
        losses.append(sess.run([by_adagrad, loss], feed)[1])
        losses.append(sess.run([by_adadelta, loss], feed)[1])
        losses.append(sess.run([by_rms, loss], feed)[1])
    np.savez(sys.argv[1], losses=losses, step=sess.run(step), out=sess.run(out), hidden=hidden.eval())
