"""tf.global_variables() lists the state of optimizers and moving averages, by TF 1's names."""
import os
import sys

import numpy as np
import tensorflow as tf


def main(output):
    folder = os.path.dirname(os.path.abspath(output))
    x = tf.placeholder(tf.float32, [None])
    with tf.variable_scope('net'):
        w = tf.get_variable('w', initializer=1.0)
    loss = tf.reduce_sum(w * x)
    error = tf.reduce_mean(w * x, name='error')
    early = tf.global_variables()
    with tf.variable_scope('train'):
        step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    state = [v for v in tf.global_variables() if 'Momentum' in v.name]
    follow = tf.train.ExponentialMovingAverage(0.5)
    followed = [follow.apply([loss]), follow.apply([error, w])]
    savers = {'early': tf.train.Saver(early), 'state': tf.train.Saver(state),
              'all': tf.train.Saver(tf.global_variables())}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(2):
            sess.run([step] + followed, {x: [1.0, 3.0]})
        out = {'state': sess.run(state), 'names': sorted(v.op.name for v in tf.global_variables()),
               'averages': [follow.average(v).op.name for v in (loss, error, w)]}
        for name in sorted(savers):
            path = savers[name].save(sess, os.path.join(folder, name))
            out['saved_' + name] = [n for n, _ in tf.train.list_variables(path)]
    np.savez(output, **out)


if __name__ == '__main__':
    main(sys.argv[1])
