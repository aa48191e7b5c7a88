"""Gradients of several batches are added up, then applied; a counter is assigned to."""
import sys

import numpy as np
import tensorflow as tf


def main(output):
    x = tf.placeholder(tf.float64, [None, 3])
    w = tf.Variable(np.array([[0.3], [0.1], [-0.2]]))
    seen = tf.Variable(0, trainable=False, name='seen')
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))

    optimizer = tf.train.MomentumOptimizer(0.2, 0.9, use_nesterov=True)
    variables = tf.trainable_variables()
    sums = [tf.Variable(np.zeros(v.get_shape().as_list()), trainable=False) for v in variables]
    grads = tf.gradients(loss, variables)
    reset_op = [s.assign(tf.zeros_like(s)) for s in sums]
    add_op = [s.assign_add(g) for s, g in zip(sums, grads)]
    count_op = tf.assign_add(seen, tf.shape(x)[0])
    apply_op = optimizer.apply_gradients(zip(sums, variables))

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            sess.run(reset_op)
            for part in range(2):
                data = np.sin(np.arange(12.0) + step + part).reshape(4, 3)
                _, _, value = sess.run([add_op, count_op, loss], feed_dict={x: data})
                losses.append(value)
            sess.run(apply_op)
        final, total = sess.run([w, seen])
    np.savez(output, losses=losses, w=final, seen=total)


if __name__ == '__main__':
    main(sys.argv[1])
