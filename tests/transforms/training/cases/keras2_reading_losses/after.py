"""Losses of Keras 2 that read symbolic tensors beside what they are given: the code of an autoencoder, the second
input of a model that is an object's attribute, what a function made them with; and a metric that does."""

import sys

import numpy as np
from tensorflow.keras import backend as K
from keras import losses
from keras.layers import Dense, Input, Lambda
from keras.models import Model
from tf1_support import keras_functions
from tf1_support import keras_losses

draw = np.random.RandomState(0)
x, y, weight = draw.rand(6, 5), draw.rand(6, 2), draw.rand(6, 2)
found = {}


def given(model):
    seeded = np.random.RandomState(1)
    model.set_weights([seeded.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])
    return model


# an autoencoder, whose loss reads its code
image = Input(shape=(5,))
hidden = Dense(4, activation="tanh")(image)
z_mean = Dense(2)(hidden)
z_log_var = Dense(2)(hidden)
code = Lambda(lambda args: args[0] + K.exp(args[1] / 2) * 0.5)([z_mean, z_log_var])
decoded = Dense(5, activation="sigmoid")(code)
coder = Model(image, decoded)


def coding_loss(image, decoded):
    image = keras_functions.targets(image, decoded)
    known = losses.binary_crossentropy(image, decoded)
    spread = -0.5 * K.sum(1 + z_log_var - K.square(z_mean) - K.exp(z_log_var), axis=-1)
    return 5 * known + spread


def spread(y_true, y_pred):
    return K.mean(K.square(z_mean))


coder.compile(optimizer="sgd", loss=keras_losses.reading(coder, coding_loss), metrics=[keras_losses.reading(coder, spread)])
given(coder)
found["coder"] = [coder.train_on_batch(x, x), coder.train_on_batch(x, x), coder.evaluate(x, x, verbose=0)]
found["decoded"] = coder.predict(x)


class Weighted(object):
    """Its loss reads an input that is its own."""

    def __init__(self):
        features = Input(shape=(5,))
        self.weight = Input(shape=(2,))
        outputs = Lambda(lambda args: args[0])([Dense(2)(features), self.weight])
        self.model = Model([features, self.weight], outputs)

    def loss(self, y_true, y_pred):
        y_true = keras_functions.targets(y_true, y_pred)
        return K.sum(K.square(y_pred - y_true) * self.weight[:, :], axis=-1) / (1 + K.sum(self.weight))

    def train(self):
        self.model.compile(loss=keras_losses.reading(self.model, self.loss), optimizer="sgd")
        given(self.model)
        return [self.model.train_on_batch([x, weight], y) for _ in range(2)]


found["weighted"] = Weighted().train()


# what makes a loss is given the tensor
def near(tensor):
    def loss(y_true, y_pred):
        y_true = keras_functions.targets(y_true, y_pred)
        return K.mean(K.square(y_pred - y_true)) + K.mean(K.abs(tensor))
    return loss


small = Input(shape=(5,))
middle = Dense(3)(small)
ends = [Dense(2, name="left")(middle), Dense(2, name="right")(middle)]
model = Model(small, ends)
model.compile(optimizer="sgd", loss={"left": keras_losses.reading(model, near(middle)), "right": "mse"})
given(model)
found["near"] = [model.train_on_batch(x, [y, y])[0] for _ in range(2)]
np.savez(sys.argv[1], **found)
