"""What Keras 2 took by default, in the words of Keras 1, and by name: layers, their first weights, and optimizers
whose gradients are small."""

import sys

import numpy as np
from tensorflow.keras import backend as K
from keras.layers import *
from keras.layers import Convolution2D
from keras.models import *
from keras.optimizers import *
import keras
from tf1_support import keras_layers
from tf1_support import keras_optimizers

draw = np.random.RandomState(0)


def filled(model):
    model.set_weights([draw.normal(size=w.shape) * 0.5 for w in model.get_weights()])
    return model


images = keras.Input((9, 8, 2))
x = Convolution2D(4, (3, 2), padding="valid", kernel_initializer="uniform", activation="relu")(images)
x = Conv2D(3, kernel_size=(2, 3), strides=(2, 1), use_bias=False)(x)
x = AveragePooling2D(data_format='channels_last', pool_size=(2, 2))(x)
x = Flatten()(x)
x = keras_layers.weighted(Dense(units=3, activation=keras_layers.hard_sigmoid), [draw.normal(size=(6, 3)), np.ones(3)])(x)
pictures = Model(inputs=images, outputs=x)
first = pictures.layers[-1].get_weights()
filled(pictures)

steps = keras.Input((5, 3))
recurrent = filled(Model(steps, concatenate([LSTM(3, recurrent_activation=keras_layers.hard_sigmoid)(steps), GRU(3, recurrent_activation=keras_layers.hard_sigmoid, reset_after=False)(steps), SimpleRNN(2)(steps)])))
words = Sequential([keras_layers.weighted(Embedding(7, 3, input_shape=(4,)), [draw.normal(size=(7, 3))]), Flatten()])

x, y = draw.normal(size=(3, 9, 8, 2)), draw.normal(size=(3, 5, 3))
found = {"pictures": pictures.predict(x), "recurrent": recurrent.predict(y), "first": first[0],
         "words": words.predict(np.arange(8).reshape(2, 4) % 7)}


def trained(optimizer):
    """The weights after some steps along gradients of a thousandth."""
    inputs = keras.Input((3,))
    model = Model(inputs, keras_layers.weighted(Dense(1, use_bias=False), [np.array([[1.0], [2.0], [3.0]])])(inputs))
    model.compile(optimizer, lambda wanted, found: K.mean(found))
    x = 1e-3 * np.array([[1.0, -0.5, 2.0 + step] for step in range(4)])
    model.fit(x, np.zeros((4, 1)), batch_size=1, epochs=1, shuffle=False, verbose=0)
    return model.get_weights()[0][:, 0] - [1.0, 2.0, 3.0]


def compiled(model):
    model.compile(keras_optimizers.RMSprop(), "mse")
    return float(K.get_value(model.optimizer.learning_rate))


made = [keras_optimizers.RMSprop(learning_rate=0.01), keras_optimizers.Adagrad(), keras_optimizers.Adagrad(learning_rate=0.1), Adadelta(learning_rate=1.0), SGD(learning_rate=0.1, momentum=0.9)]
rates = [compiled(pictures), float(K.get_value(Adamax(learning_rate=0.002).learning_rate))]
np.savez(sys.argv[1], trained=[trained(one) for one in made], rates=rates, **found)
