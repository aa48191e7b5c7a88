"""Inputs, initializers, tables, iterators, writers and parts of graphs, by all the names they had."""
import glob
import os
import sys

import numpy as np
import tensorflow as tf


def inputs(out):
    with tf.Graph().as_default() as graph:
        given = tf.placeholder_with_default(tf.constant([1.0, 2.0]), [None], name='given')
        sparse = tf.sparse_placeholder(tf.float32, [3, 2], name='sparse')
        other = tf.sparse.placeholder(tf.float32)
        sized = tf.sparse_placeholder(tf.float32, shape=tf.constant((3, 2), dtype=tf.int64))
        product = tf.sparse_tensor_dense_matmul(sized, tf.constant([[1.0], [3.0]]))
        dense = tf.sparse_tensor_to_dense(sparse)
        total = tf.sparse_reduce_sum(other, 1)
        sess = tf.InteractiveSession()
        value = tf.SparseTensorValue([[0, 1], [2, 0]], np.array([5.0, 6.0], np.float32), [3, 2])
        out['default'] = (given * 2.0).eval()
        out['fed'] = sess.run(given * 2.0, {given: [4.0]})
        out['dense'] = dense.eval({sparse: value})
        out['total'] = total.eval(feed_dict={other: value})
        out['product'] = sess.run(product, feed_dict={sized: value})
        out['sizes'] = sess.run(tf.shape(tf.sparse_tensor_to_dense(sized)), feed_dict={sized: value})
        out['same'] = tf.get_default_session() is sess and tf.get_default_graph() is graph
        sess.close()


def initializers(out):
    with tf.Graph().as_default():
        a = tf.get_variable('a', initializer=tf.constant(1.0))
        b = tf.get_variable('b', initializer=tf.constant(2.0))
        c = tf.get_variable('c', initializer=tf.constant(3.0),
                            collections=[tf.GraphKeys.LOCAL_VARIABLES])
        table = tf.contrib.lookup.index_table_from_tensor(['x', 'y'])
        found = table.lookup(tf.constant(['y', 'z', 'x']))
        change = tf.group(a.assign_add(10.0), b.assign_add(10.0), c.assign_add(10.0))
        values = []
        with tf.Session() as sess:
            sess.run([tf.initialize_all_variables(), tf.initialize_local_variables()])
            sess.run(tf.tables_initializer())
            out['found'] = sess.run(found)
            for again in (tf.variables_initializer([a]), tf.initialize_variables([b]),
                          tf.initializers.variables([c]), tf.initialize_all_tables(),
                          tf.initializers.tables_initializer()):
                sess.run(change)
                sess.run(again)
                values.append(sess.run([a, b, c]))
        out['values'] = values


def iterators(out):
    with tf.Graph().as_default():
        first = tf.data.Dataset.range(3).make_one_shot_iterator()
        second = tf.data.Dataset.range(10, 13).make_one_shot_iterator()
        handle = tf.placeholder(tf.string, [])
        both = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
        element = both.get_next()
        with tf.Session() as sess:
            handles = sess.run([first.string_handle(), second.string_handle()])
            out['elements'] = [sess.run(element, {handle: handles[k % 2]}) for k in range(5)]


def parts(out, folder):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name='x')
        y = tf.identity(x * 2.0, name='y')
        tf.identity(y + 1.0, name='z')
        part = tf.graph_util.extract_sub_graph(graph.as_graph_def(), ['y'])
        out['part'] = 'z' in [node.name for node in part.node]
        v = tf.get_variable('v', initializer=tf.constant(2.0))
        tf.train.export_meta_graph(os.path.join(folder, 'alone.meta'))
        out['meta'] = os.path.exists(os.path.join(folder, 'alone.meta'))
        writer = tf.summary.FileWriter(os.path.join(folder, 'log'))
        event = tf.Event(step=3)
        event.summary.value.add(tag='one', simple_value=1.5)
        writer.add_event(event)
        writer.flush()
        cached = tf.summary.FileWriterCache.get(os.path.join(folder, 'log', 'cached'))
        cached.add_summary(tf.Summary(value=[tf.Summary.Value(tag='two', simple_value=2.5)]), 4)
        tf.summary.FileWriterCache.clear()
        writer.reopen()
        writer.close()
        out['where'] = os.path.basename(writer.get_logdir())
    out['written'] = sorted(
        (event.step, value.simple_value)
        for path in glob.glob(os.path.join(folder, 'log', '**', 'events*'), recursive=True)
        for event in tf.train.summary_iterator(path) for value in event.summary.value)


def main(output):
    out = {}
    inputs(out)
    initializers(out)
    iterators(out)
    parts(out, os.path.dirname(os.path.abspath(output)))
    np.savez(output, **out)


if __name__ == '__main__':
    main(sys.argv[1])
