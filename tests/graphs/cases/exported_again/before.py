"""A frozen graph is put into a new one, which is saved; a class makes what the network takes."""
import os
import sys

import numpy as np
import tensorflow as tf


class Inputs(object):
    """What a network takes; its default is made with it."""

    def __init__(self, size):
        self.size = size
        self.scale = tf.constant_initializer(0.5)

    def tensor(self):
        default = tf.constant(1.0, shape=[1, self.size])
        return tf.placeholder_with_default(default, [None, self.size], name='inputs')


def make_inputs(size):
    return Inputs(size)


def build(size):
    inputs = make_inputs(size)
    outputs = tf.layers.dense(inputs.tensor(), 2, kernel_initializer=inputs.scale, name='head')
    return tf.identity(outputs, name='outputs')


def freeze():
    with tf.Graph().as_default() as graph:
        outputs = build(3)
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(outputs))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train_op)
            return tf.graph_util.convert_variables_to_constants(
                sess, graph.as_graph_def(), ['outputs'])


def write_saved_model(path, frozen):
    with tf.Graph().as_default() as graph:
        with tf.Session() as sess:
            tf.import_graph_def(frozen, name='')
            builder = tf.saved_model.builder.SavedModelBuilder(path)
            signature = tf.saved_model.signature_def_utils.build_signature_def(
                inputs={'x': tf.saved_model.utils.build_tensor_info(
                    graph.get_tensor_by_name('inputs:0'))},
                outputs={'y': tf.saved_model.utils.build_tensor_info(
                    graph.get_tensor_by_name('outputs:0'))},
                method_name=tf.saved_model.signature_constants.PREDICT_METHOD_NAME)
            builder.add_meta_graph_and_variables(
                sess, [tf.saved_model.tag_constants.SERVING],
                signature_def_map={'serving_default': signature})
            builder.save()


def use(path):
    with tf.Graph().as_default():
        with tf.Session() as sess:
            tf.saved_model.loader.load(sess, ['serve'], path)
            return sess.run('outputs:0', {'inputs:0': np.arange(6.0).reshape(2, 3)})


def main(output):
    folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'saved')
    frozen = freeze()
    write_saved_model(folder, frozen)
    np.savez(output, values=use(folder))


if __name__ == '__main__':
    main(sys.argv[1])
