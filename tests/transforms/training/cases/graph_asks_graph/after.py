"""Builds a graph whose shapes other graphs tell, while it is being built."""
import sys

import numpy as np
import tensorflow as tf

import shapes
import tables
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import scopes


def build(words, features):
    classes = tables.size(words)
    w = scopes.get_variable('w', [3, classes], tf.float64, initializers.ones_initializer())
    b = scopes.get_variable('b', [shapes.width(words)], tf.float64, initializers.ones_initializer())
    return tf.matmul(features, w) * tables.largest(np.array([1., 3., 2.])), tf.reduce_sum(b)


def main(output):
    words = np.array([4, 1, 4, 2])
    with graphs.Graph().as_default():
        features = graphs.placeholder(tf.float64, [None, 3])
        scores, total = build(words, features)
        graphs.run(graphs.global_variables_initializer())
        compute_scores_and_total = graphs.function([features], [scores, total])
        scores, total = compute_scores_and_total(np.arange(6.).reshape(2, 3))
    np.savez(output, scores=scores, total=total)


if __name__ == '__main__':
    main(sys.argv[1])
