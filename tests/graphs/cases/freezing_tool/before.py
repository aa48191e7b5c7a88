"""Freezes checkpoints with TensorFlow's tool: a graph as text, and a meta graph, with one variable left."""
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.tools import freeze_graph
from tensorflow.python.tools.freeze_graph import freeze_graph as freeze


def train(folder, data):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    with tf.variable_scope('net'):
        kernel = tf.get_variable('kernel', initializer=np.linspace(-1, 1, 6).astype(np.float32).reshape(3, 2))
        scale = tf.get_variable('scale', initializer=np.float32(1.5))
        hidden = tf.layers.dense(tf.matmul(x, kernel) * scale, 2, kernel_initializer=tf.ones_initializer())
    output = tf.nn.softmax(hidden + tf.constant([0.1, 0.2]), name='output')
    step = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(tf.square(output[:, 0] - 1.0)))
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(step, feed_dict={x: data})
        saver.save(sess, os.path.join(folder, 'model.ckpt'), global_step=3)
        tf.train.write_graph(sess.graph.as_graph_def(), folder, 'graph.pbtxt')
        return sess.run(output, feed_dict={x: data})


def read(path):
    graph_def = tf.GraphDef()
    with tf.gfile.GFile(path, 'rb') as stream:
        graph_def.ParseFromString(stream.read())
    return graph_def


def use(path, data):
    with tf.Graph().as_default():
        output, = tf.import_graph_def(read(path), return_elements=['output:0'], name='frozen')
        with tf.Session() as sess:
            return sess.run(output, feed_dict={'frozen/x:0': data})


def main(output_path):
    folder = os.path.dirname(os.path.abspath(output_path))
    data = np.random.RandomState(0).rand(4, 3).astype(np.float32)
    before = train(folder, data)
    checkpoint = tf.train.latest_checkpoint(folder)
    os.mkdir(checkpoint)  # a directory may have the name
    text, whole, part = (os.path.join(folder, name + '.pb') for name in ('text', 'whole', 'part'))
    freeze_graph.freeze_graph(
        input_graph=os.path.join(folder, 'graph.pbtxt'), input_saver='', input_binary=False,
        input_checkpoint=checkpoint, output_node_names='output', restore_op_name='save/restore_all',
        filename_tensor_name='save/Const:0', output_graph=text, clear_devices=True, initializer_nodes='',
        variable_names_blacklist='')
    freeze('', '', True, checkpoint, 'output, net/scale', '', '', whole, True, '',
           input_meta_graph=checkpoint + '.meta')
    made = freeze('', '', True, checkpoint, 'output', '', '', part, False, '', '', 'net/scale',
                  checkpoint + '.meta')
    constants = {node.name: tf.make_ndarray(node.attr['value'].tensor)
                 for node in read(whole).node if node.op == 'Const' and node.name.startswith('net/')
                 and node.name.split('/')[-1] in ('kernel', 'scale', 'bias')}
    left = [node.name for node in made.node if 'Variable' in node.op or node.op == 'VarHandleOp']
    np.savez(output_path, before=before, text=use(text, data), whole=use(whole, data),
             scale=constants['net/scale'], kernel=constants['net/kernel'], bias=constants['net/dense/bias'],
             left=['net/scale' in left, 'net/kernel' in left, os.path.exists(part)])


if __name__ == '__main__':
    main(sys.argv[1])
