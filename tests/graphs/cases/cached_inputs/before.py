"""Inputs by name, made once for each graph; networks of one graph share them."""
import sys

import numpy as np
import tensorflow as tf

_INPUTS = {}


def get_input(name, shape):
    if name in _INPUTS and _INPUTS[name].graph == tf.get_default_graph():
        return _INPUTS[name]
    _INPUTS[name] = tf.placeholder(tf.float32, shape, name=name)
    return _INPUTS[name]


def of_this_graph(tensor):
    if tensor.graph is not tf.get_default_graph():
        raise ValueError('%s is of another graph' % tensor.name)
    return tensor


def network(scope):
    with tf.variable_scope(scope):
        return tf.layers.dense(get_input('ob', [None, 3]), 2,
                               kernel_initializer=tf.constant_initializer(0.5))


class Agent(object):
    def __init__(self):
        self.new, self.old = network('new'), network('old')
        self.x = of_this_graph(_INPUTS['ob'])
        self.gap = tf.reduce_mean(tf.square(self.new - 2 * self.old))

    def act(self, sess, x):
        return sess.run([self.gap, self.new], {self.x: x})


def run():
    agent = Agent()
    with tf.Session(graph=agent.gap.graph) as sess:
        sess.run(tf.global_variables_initializer())
        return agent.act(sess, np.ones((2, 3)))


def main(output):
    first = _INPUTS
    found = []
    for _ in range(2):
        with tf.Graph().as_default():
            found.append(run())
    try:
        of_this_graph(first['ob'])
        other = False
    except ValueError:
        other = True
    np.savez(output, gaps=[gap for gap, _ in found], new=[new for _, new in found], other=other)


if __name__ == '__main__':
    main(sys.argv[1])
