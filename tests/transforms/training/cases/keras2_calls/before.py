"""What Keras 2 took by default, in the words of Keras 1, and by name: layers, their first weights, and optimizers
whose gradients are small."""

import sys

import numpy as np
from keras import backend as K
from keras.layers import *
from keras.layers import Convolution2D
from keras.models import *
from keras.optimizers import *

draw = np.random.RandomState(0)


def filled(model):
    model.set_weights([draw.normal(size=w.shape) * 0.5 for w in model.get_weights()])
    return model


images = Input((9, 8, 2))
x = Convolution2D(4, 3, 2, border_mode="valid", init="uniform", activation="relu")(images)
x = Conv2D(3, nb_row=2, nb_col=3, subsample=(2, 1), bias=False)(x)
x = AveragePooling2D(dim_ordering="tf")(x)
x = Flatten()(x)
x = Dense(output_dim=3, activation="hard_sigmoid", weights=[draw.normal(size=(6, 3)), np.ones(3)])(x)
pictures = Model(input=images, output=x)
first = pictures.layers[-1].get_weights()
filled(pictures)

steps = Input((5, 3))
recurrent = filled(Model(steps, concatenate([LSTM(3)(steps), GRU(3)(steps), SimpleRNN(2)(steps)])))
words = Sequential([Embedding(7, 3, weights=[draw.normal(size=(7, 3))], input_length=4), Flatten()])

x, y = draw.normal(size=(3, 9, 8, 2)), draw.normal(size=(3, 5, 3))
found = {"pictures": pictures.predict(x), "recurrent": recurrent.predict(y), "first": first[0],
         "words": words.predict(np.arange(8).reshape(2, 4) % 7)}


def trained(optimizer):
    """The weights after some steps along gradients of a thousandth."""
    inputs = Input((3,))
    model = Model(inputs, Dense(1, use_bias=False, weights=[np.array([[1.0], [2.0], [3.0]])])(inputs))
    model.compile(optimizer, lambda wanted, found: K.mean(found))
    x = 1e-3 * np.array([[1.0, -0.5, 2.0 + step] for step in range(4)])
    model.fit(x, np.zeros((4, 1)), batch_size=1, epochs=1, shuffle=False, verbose=0)
    return model.get_weights()[0][:, 0] - [1.0, 2.0, 3.0]


def compiled(model):
    model.compile("rmsprop", "mse")
    return float(K.get_value(model.optimizer.lr))


made = [RMSprop(lr=0.01), Adagrad(), Adagrad(lr=0.1), Adadelta(), SGD(lr=0.1, momentum=0.9)]
rates = [compiled(pictures), float(K.get_value(Adamax().lr))]
np.savez(sys.argv[1], trained=[trained(one) for one in made], rates=rates, **found)
