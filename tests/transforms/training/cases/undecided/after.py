"""What cannot be told from the text: each function leaves one thing about its run open."""
import sys

import numpy as np
import tensorflow as tf

import blocks
from tf1_support import graphs
from tf1_support import scopes
from tf1_support import sessions


def linear(x):
    weight = scopes.get_variable('weight', initializer=np.linspace(-1.0, 1.0, 6).reshape(3, 2))
    return tf.matmul(x, weight)


def feed_of(names, values, tensors):
    return {tensors[name]: value for name, value in zip(names, values)}


def opaque_feed(data):
    with graphs.Graph().as_default(), sessions.Session() as sess:
        x = graphs.placeholder(tf.float64, [None, 3])
        y = linear(x)
        return graphs.run(y, feed_dict=feed_of(['x'], [data], {'x': x}))


def evaluate(sess, fetch, feed):
    return graphs.run(fetch, feed_dict=feed)


@graphs.building
def fetched_through_parameter(data):
    with graphs.Graph().as_default():
        x = graphs.placeholder(tf.float64, [None, 3])
        y = linear(x)
        with sessions.Session() as sess:
            return [evaluate(sess, tensor, {x: data}) for tensor in (y, tf.nn.softmax(y))]


@graphs.building
def in_parts(data):
    with graphs.Graph().as_default(), sessions.Session() as sess:
        x = graphs.placeholder(tf.float64, [None, 3])
        scale = graphs.placeholder(tf.float64, [])
        y = linear(x)
        scaled = y * scale
        handle = sess.partial_run_setup([y, scaled], [x, scale])
        first = sess.partial_run(handle, y, feed_dict={x: data})
        return first, sess.partial_run(handle, scaled, feed_dict={scale: first.max()})


def surgery(data):
    with graphs.Graph().as_default() as graph:
        x = graphs.placeholder(tf.float64, [None, 3], name='x')
        tf.add(tf.reduce_sum(tf.square(x), 1), 1.0, name='y')
        definition = graph.as_graph_def()
    with graphs.Graph().as_default(), sessions.Session() as sess:
        given = graphs.placeholder(tf.float64, [None, 3])
        y, = tf.import_graph_def(definition, {'x:0': given * 2.0}, ['y:0'])
        compute_y = graphs.function([given], y)
        return compute_y(data)


def collected(data):
    with graphs.Graph().as_default(), sessions.Session() as sess:
        x = graphs.placeholder(tf.float64, [None, 3])
        net = blocks.block(blocks.block(x, 'first'), 'second')
        ends = scopes.get_collection('ends')
        total = tf.add_n([tf.reduce_mean(end) for end in ends]) + tf.reduce_mean(net)
        return graphs.run([total] + ends, feed_dict={x: data})


def main(output):
    data = np.random.RandomState(2).uniform(-1, 1, (4, 3))
    raw, soft = fetched_through_parameter(data)
    first, scaled = in_parts(data)
    total, one, two = collected(data)
    np.savez(output, opaque=opaque_feed(data), raw=raw, soft=soft, first=first, scaled=scaled,
             surgery=surgery(data), total=total, one=one, two=two)


if __name__ == '__main__':
    main(sys.argv[1])
