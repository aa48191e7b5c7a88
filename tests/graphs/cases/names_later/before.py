"""Functions that run parts of a graph by their names, long after it was built."""
import sys

import numpy as np
import tensorflow as tf


class Net(object):

    def __init__(self, data, width):
        self.w = tf.get_variable('w', [3, width], initializer=tf.zeros_initializer())
        tf.nn.softmax(tf.matmul(data, self.w), name='prob')

    def load(self, session, values):
        session.run(self.w.assign(values))


def create(sess, values):
    with tf.variable_scope('first'):
        data = tf.placeholder(tf.float32, [None, 3], 'input')
        Net(data, 2).load(sess, values)
    with tf.variable_scope('second'):
        data = tf.placeholder(tf.float32, [None, 3], 'input')
        Net(data, 4)
    sess.run(tf.variables_initializer(tf.global_variables('second')))

    def second(rows):
        return sess.run(['second/prob:0'], {'second/input:0': rows})

    first = lambda rows: sess.run(('first/prob:0', 'first/w:0'), feed_dict={'first/input:0': rows})
    return first, second


def networks(values):
    with tf.Graph().as_default():
        sess = tf.Session()
        with sess.as_default():
            return create(sess, values)


class Detector(object):

    def __init__(self, scale):
        self.graph = tf.Graph()
        with self.graph.as_default():
            x = tf.placeholder(tf.float32, [None, 3], name='in')
            w = tf.get_variable('w', initializer=np.float32(scale))
            tf.multiply(x, w, name='out')
            self.sess = tf.Session()
            self.sess.run(tf.global_variables_initializer())

    def detect(self, rows):
        return self.sess.run('out:0', feed_dict={'in:0': rows})


class Named(object):
    """Its names are attributes, of the class and of the object, or put together."""

    INPUT = 'in:0'
    SCOPE = 'made'

    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            x = tf.placeholder(tf.float32, [None, 3], name='in')
            with tf.name_scope(self.SCOPE):
                tf.add(x, 4.0, name='out')
                tf.negative(x, name='less')
        self.output = 'made/' + 'out:0'
        self.sess = tf.Session(graph=self.graph)

    def plus(self, rows):
        return self.sess.run(self.output, feed_dict={self.INPUT: rows})

    def less(self, rows):
        less = '{}/less:0'.format(self.SCOPE)
        return self.sess.run([less, self.SCOPE + '/out:0'], {self.INPUT: rows})


OWN = tf.Graph()
with OWN.as_default():
    tf.square(tf.placeholder(tf.float32, [None, 3], name='rows'), name='squares')
SESSION = tf.Session(graph=OWN)


def squares(rows):
    return SESSION.run(['squares:0'], {'rows:0': rows})


def main(output_path):
    random = np.random.RandomState(0)
    values, rows = random.rand(3, 2).astype(np.float32), random.rand(5, 3).astype(np.float32)
    first, second = networks(values)
    other, _ = networks(-values)
    prob, held = first(rows)
    named = Named()
    less, again = named.less(rows)
    np.savez(output_path, plus=named.plus(rows), less=less, again=again, prob=prob, held=held, second=second(rows)[0], other=other(rows)[0],
             two=Detector(2).detect(rows), three=Detector(3).detect(rows), squares=squares(rows)[0])


if __name__ == '__main__':
    main(sys.argv[1])
