import tensorflow as tf

from layers import Layers


class Model:
    def __init__(self, x, training):
        with tf.variable_scope("model"):
            made = Layers(training)
            self.logits = made.build(x)

    def scaled(self, factor):
        return self.logits * factor
