"""Writes its graph for TensorBoard, and the definition of another one in its place."""
import glob
import os
import sys

import numpy as np
import tensorflow as tf


def nodes(folder):
    path, = glob.glob(os.path.join(folder, 'events*'))
    found = []
    for event in tf.train.summary_iterator(path):
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(event.graph_def)
        found += [node.name for node in graph_def.node]
    return found


def main(output_path):
    folder = os.path.join(os.path.dirname(os.path.abspath(output_path)), 'graphs')
    a = tf.constant([[2.0, 3.0]], name='a')
    with tf.name_scope('layer'):
        w = tf.get_variable('w', initializer=[[1.0], [0.5]])
        product = tf.matmul(a, w, name='product')
    total = tf.add(product, 1.0, name='total')
    with tf.Session() as sess:
        writer = tf.summary.FileWriter(folder, graph=sess.graph)
        sess.run(tf.global_variables_initializer())
        result = sess.run(total)
        writer.close()
    found = nodes(folder)
    definition = tf.GraphDef()
    definition.node.add(name='alone', op='NoOp')
    tf.summary.FileWriter(folder + '_of_definition', definition).close()
    later = tf.summary.FileWriter(folder + '_added')
    later.add_graph(definition)
    later.close()
    alone = [nodes(folder + '_of_definition'), nodes(folder + '_added')]
    np.savez(output_path, result=result, alone=alone,
             found=[name in found for name in ('a', 'w', 'layer/product', 'total', 'other')])


if __name__ == '__main__':
    main(sys.argv[1])
