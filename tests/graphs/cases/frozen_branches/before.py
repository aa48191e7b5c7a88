"""A frozen network whose statistics a branch would have moved: what the branch assigns to is a constant by then."""
import sys

import numpy as np
import tensorflow as tf


def normalised(x, training):
    mean = tf.get_variable('mean', [3], initializer=tf.zeros_initializer(), trainable=False)
    spread = tf.get_variable('spread', [3], initializer=tf.ones_initializer(), trainable=False)

    def moved():
        now, square = tf.nn.moments(x, [0])
        with tf.control_dependencies([tf.assign(mean, mean * 0.9 + now * 0.1),
                                      tf.assign_add(spread, square)]):
            return tf.identity(now), tf.identity(square)

    kept, square = tf.cond(training, moved, lambda: (mean, spread))
    return tf.nn.batch_normalization(x, kept, square, None, None, 1e-3)


def frozen(rows):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3], name='rows')
        training = tf.placeholder_with_default(False, [], name='training')
        tf.identity(normalised(x, training), name='found')
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run('found:0', {'rows:0': rows, 'training:0': True})
            return tf.graph_util.convert_variables_to_constants(
                sess, sess.graph.as_graph_def(), ['found'])


def mended(definition):
    """TensorFlow 1 left reference variables' operations beside constants, which it refused to load."""
    for node in definition.node:
        if node.op == 'RefSwitch':
            node.op = 'Switch'
        elif node.op in ('Assign', 'AssignAdd'):
            node.op = 'Identity'
            node.input[0] = node.input[1]
            del node.input[1]
            for name in ('use_locking', 'validate_shape'):
                if name in node.attr:
                    del node.attr[name]
    return definition


def main(output_path):
    rows = np.random.RandomState(0).rand(5, 3).astype(np.float32)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(mended(frozen(rows)), name='')
        with tf.Session(graph=graph) as sess:
            found = sess.run('found:0', {'rows:0': rows})
    np.savez(output_path, found=found)


if __name__ == '__main__':
    main(sys.argv[1])
