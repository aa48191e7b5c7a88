"""Draws, of which each run of a graph has its own."""
import tensorflow as tf


def steady(count):
    return tf.random_uniform([count], seed=7)


class Source(object):

    def __init__(self, count):
        self.count = count

    def draw(self, spread):
        return spread * tf.random_normal([self.count], seed=3)
