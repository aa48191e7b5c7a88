"""Numbers that a graph of their own knows."""
import tensorflow as tf
from tf1_support import graphs


def size(values):
    with graphs.Graph().as_default():
        count = tf.size(tf.unique(values)[0])
        return int(graphs.run(count))


def largest(values):
    with graphs.Graph().as_default():
        return graphs.run(tf.reduce_max(tf.constant(values)))
