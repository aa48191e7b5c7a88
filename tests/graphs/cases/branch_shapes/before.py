"""Branches and loops whose results have other shapes than what they may give later, and gradients through
them; the meta graph of it is loaded and goes on."""
import sys

import numpy as np
import tensorflow as tf


def block(x, channels, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable('kernel', initializer=np.linspace(
            -1, 1, 4 * channels).reshape(1, 1, 4, channels).astype('f'))
        return tf.cond(tf.equal(tf.shape(x)[3], channels), lambda: x,
                       lambda: tf.tanh(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], 'SAME')))


def main(folder_of, output):
    x = tf.placeholder(tf.float32, [2, 3, 3, 4], name='x')
    wanted = tf.placeholder(tf.bool, [], name='wanted')
    wide = block(x, 6, 'wide') + tf.ones([2, 3, 3, 6])
    inner = tf.cond(wanted, lambda: tf.nn.relu(block(x, 5, 'inner') + tf.ones([2, 3, 3, 5])),
                    lambda: tf.zeros([2, 3, 3, 5]))
    factor = tf.get_variable('factor', initializer=0.5)
    grown = tf.while_loop(
        lambda k, row: k < 3, lambda k, row: (k + 1, tf.concat([row, [factor * row[-1]]], 0)),
        [0, tf.ones([1])], [tf.TensorShape([]), tf.TensorShape([None])])[1]
    grown = grown * tf.constant([1., 2., 3., 4.])
    loss = tf.add(tf.reduce_mean(tf.square(wide)) + tf.reduce_mean(inner), tf.reduce_sum(grown), 'loss')
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, name='train')
    values = np.linspace(-1, 1, 72).reshape(2, 3, 3, 4)
    saver = tf.train.Saver()
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            _, value = sess.run([train, loss], {x: values, wanted: step != 1})
            losses.append(value)
        shapes = [part.shape for part in sess.run([wide, inner, grown], {x: values, wanted: True})]
        saver.save(sess, folder_of('model'))
    with tf.Graph().as_default(), tf.Session() as sess:
        saver = tf.train.import_meta_graph(folder_of('model') + '.meta')
        saver.restore(sess, folder_of('model'))
        losses.append(sess.run('loss:0', {'x:0': values, 'wanted:0': True}))
    np.savez(output, losses=losses, **{'shape%d' % k: shape for k, shape in enumerate(shapes)})


if __name__ == '__main__':
    import os
    import tempfile

    folder = tempfile.mkdtemp()
    main(lambda name: os.path.join(folder, name), sys.argv[1])
