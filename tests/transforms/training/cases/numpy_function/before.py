"""A NumPy function inside of the graph, and gradients clipped by value."""
import sys

import numpy as np
import tensorflow as tf


def weights_of(values):
    """Down-weights outliers; NumPy code."""
    return 1.0 / (1.0 + np.abs(values - np.median(values)))


class Options(object):
    learning_rate = 0.2
    clip = 0.05


def main(output, options=Options()):
    x = tf.placeholder(tf.float64, shape=(None, 2), name='x')
    y = tf.placeholder(tf.float64, shape=(None,), name='y')
    w = tf.get_variable('w', initializer=np.array([0.3, -0.2]), dtype=tf.float64)
    residual = tf.reduce_sum(x * w, 1) - y
    weights = tf.py_func(weights_of, [residual], tf.float64)
    weights = tf.stop_gradient(weights)
    weights.set_shape([None])
    loss = tf.reduce_mean(weights * tf.square(residual))

    optimizer = tf.train.GradientDescentOptimizer(options.learning_rate)
    grads_and_vars = optimizer.compute_gradients(loss)
    clipped = [(tf.clip_by_value(g, -options.clip, options.clip), v) for g, v in grads_and_vars
               if g is not None]
    train_op = optimizer.apply_gradients(clipped)

    rng = np.random.RandomState(7)
    data, target = rng.normal(size=(9, 2)), rng.normal(size=9)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    history = []
    for _ in range(3):
        loss_value, weights_value, _ = sess.run([loss, weights, train_op], {x: data, y: target})
        history.append(loss_value)
    final = w.eval(session=sess)
    sess.close()
    np.savez(output, history=history, weights=weights_value, final=final)


if __name__ == '__main__':
    main(sys.argv[1])
