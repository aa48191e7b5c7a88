"""Layers that were written for Keras 2: variables of the backend that train, shapes that tensors told, a
layer that gives the loss and counts batches, and a loss that keeps constants."""

import sys

from tensorflow.keras import backend as K
import numpy as np
import tensorflow as tf
from keras.layers import InputSpec
from keras.layers import Layer
from keras.layers import Dense, Input
from keras.models import Model
from keras.optimizers import SGD
from tf1_support import keras_functions
from tf1_support import keras_layers
from tf1_support import scopes


class Scaled(Layer):
    def __init__(self, first=3.0, **kwargs):
        self.axis = 1 if keras_functions.image_dim_ordering() == "th" else 3
        self.first = first
        super(Scaled, self).__init__(**kwargs)

    def build(self, input_shape):
        self.input_spec = [InputSpec(shape=input_shape)]
        self.gamma = K.variable(self.first * np.ones(input_shape[self.axis]), name="{}_gamma".format(self.name))
        self.shift = K.variable(np.full(input_shape[self.axis], 0.5), name="shift")
        keras_layers.hold(self, [self.gamma])
        keras_layers.hold(self, [self.shift], trainable=False)
        super(Scaled, self).build(input_shape)

    def call(self, x, mask=None):
        return K.l2_normalize(x, self.axis) * self.gamma + self.shift


class Squares(Layer):
    """The loss itself, which counts double in the first two batches."""

    def call(self, inputs):
        found, wanted = inputs
        seen = scopes.Variable(0.0)
        seen = seen.assign_add(1.0)
        weight = tf.cond(tf.less(seen, 3.0), lambda: 2.0, lambda: 1.0)
        return weight * tf.reduce_sum(tf.square(found - wanted), [1, 2, 3])

    def compute_output_shape(self, input_shape):
        return (None, 1)


class Weighted:
    def __init__(self, weight):
        self.weight = weight

    def compute(self, y_true, y_pred):
        y_true = keras_functions.targets(y_true, y_pred)
        with tf.init_scope():
            self.weight = tf.constant(self.weight)
        return self.weight * tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)


def told(wanted, found):
    return tf.reduce_sum(found)


seen, wanted = Input((2, 2, 3)), Input((2, 2, 4))
scaled = Scaled(name="scaled")(seen)
sizes = [tuple(scaled.shape)[1:3], K.int_shape(scaled)]
found = Dense(4, name="dense")(scaled)
trained = Model([seen, wanted], Squares()([found, wanted]))
network = Model(seen, found)

draw = np.random.RandomState(0)
network.set_weights([draw.normal(size=w.shape) for w in network.get_weights()])
x, y = draw.normal(size=(4, 2, 2, 3)).astype("f"), draw.normal(size=(4, 2, 2, 4)).astype("f")
trained.compile(SGD(0.0002), told)
losses = [trained.train_on_batch([x, y], np.zeros((4, 1))) for _ in range(4)]
network.compile(SGD(0.01), Weighted(2.0).compute)
losses += [network.train_on_batch(x, y), network.evaluate(x, y, verbose=0), network.train_on_batch(x, y)]
np.savez(sys.argv[1], losses=losses, found=network.predict(x), count=len(network.trainable_weights),
         sizes=[list(sizes[0]), list(sizes[1][1:3])], axis=trained.get_layer("scaled").axis,
         **{"w%d" % i: w for i, w in enumerate(network.get_weights())})
