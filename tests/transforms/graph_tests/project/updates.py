"""What the tests test: an update, a counter with state of its own, a gradient."""
import tensorflow as tf


def move(target, source, rate):
  return tf.assign(target, rate * source + (1 - rate) * target)


def every_other(body):
  counter = tf.get_variable('counter', [], tf.int32, tf.zeros_initializer())
  count = tf.assign_add(counter, 1)
  return tf.cond(tf.equal(count % 2, 0), body, tf.no_op)


def slope(y, x):
  return tf.gradients(y, x)[0]
