"""Writes what the workloads start from: a checkpoint, and a frozen graph with a while loop."""
import os
import sys

import tensorflow as tf

import net


def main(out):
  with tf.Graph().as_default(), tf.Session() as sess:
    tf.set_random_seed(1)
    net.network(tf.placeholder(tf.float64, [1, 8, 8, 2]))
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, os.path.join(out, 'model.ckpt'), write_meta_graph=False)
  with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    tf.map_fn(lambda row: tf.exp(row) * 3.0, x, name='mapped')
    tf.identity(graph.get_tensor_by_name('mapped/TensorArrayStack/TensorArrayGatherV3:0'), name='y')
    tf.to_float(tf.argmax(x, axis=1), name='class')
    with open(os.path.join(out, 'frozen.pb'), 'wb') as fh:
      fh.write(graph.as_graph_def().SerializeToString())


main(sys.argv[1])
