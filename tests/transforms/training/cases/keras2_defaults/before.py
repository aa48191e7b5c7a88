"""What Keras 2 took where nothing is given, and Keras 3 takes otherwise: recurrent layers, pooling,
regularizers, optimizers by class and by name, losses and metrics by name."""

import sys

import numpy as np
from keras import backend as K
from keras import losses, optimizers
from keras.constraints import maxnorm, nonneg
from keras.layers import (
    GRU, LSTM, RNN, Activation, AveragePooling1D, AveragePooling2D, Bidirectional, ConvLSTM2D, Dense, GRUCell, Input,
    LSTMCell, UpSampling2D,
)
from keras.models import Model, Sequential
from keras.optimizers import SGD, Adadelta, Adagrad, RMSprop
from keras.regularizers import l1_l2

draw = np.random.RandomState(0)
found = {}


def given(model):
    """The model, with weights that anybody can make."""
    seeded = np.random.RandomState(1)
    model.set_weights([seeded.uniform(-1, 1, w.shape) for w in model.get_weights()])
    return model


def look(name, layer, *shape):
    inputs = Input(shape)
    found[name] = given(Model(inputs, layer(inputs))).predict(draw.uniform(-1, 1, (2,) + shape))


look("lstm", LSTM(4), 5, 3)
look("gru", GRU(4, return_sequences=True), 5, 3)
look("hard", GRU(4, recurrent_activation="hard_sigmoid"), 5, 3)
look("both", Bidirectional(LSTM(2)), 5, 3)
look("cells", RNN([LSTMCell(4), GRUCell(3)]), 5, 3)
look("pictures", ConvLSTM2D(2, 3), 3, 5, 5, 2)
look("activation", Activation("hard_sigmoid"), 3)
look("pool", AveragePooling2D(), 4, 4, 2)
look("pool1", AveragePooling1D(), 4, 2)
look("larger", UpSampling2D(2, interpolation="bilinear"), 3, 4, 2)

x, y = draw.rand(16, 3), draw.rand(16, 2)


def trained(name, optimizer, loss="mse"):
    model = Sequential()
    model.add(Dense(4, activation="tanh", input_dim=3, kernel_constraint=maxnorm(2.0)))
    model.add(Dense(2, bias_constraint=nonneg()))
    model.compile(optimizer, loss)
    given(model)
    steps = [model.train_on_batch(x, y) for _ in range(4)]
    found[name] = np.concatenate([steps] + [np.ravel(w) for w in model.get_weights()])


trained("rmsprop", RMSprop())
trained("rmsprop_small", RMSprop(lr=0.01, rho=0.8), lambda y_true, y_pred: 1e-4 * K.mean(K.square(y_true - y_pred), -1))
trained("adagrad", Adagrad())
trained("adadelta", Adadelta())
trained("momentum", SGD(lr=0.1, momentum=0.9, nesterov=True))

for optimizer in range(3):
    named = Sequential([Dense(2, input_shape=(3,), kernel_regularizer=l1_l2())])
    if optimizer == 0:
        named.compile("rmsprop", "logcosh", metrics=["cosine_proximity"])
    elif optimizer == 1:
        named.compile(optimizer="adadelta", loss="cosine_proximity", metrics=["kullback_leibler_divergence"])
    else:
        named.compile("Adagrad", loss=["logcosh"])
    given(named)
    found["named%d" % optimizer] = np.concatenate([np.ravel(named.train_on_batch(x, y)) for _ in range(3)])
trained("got", optimizers.get("adagrad"))

a, b = K.constant(draw.rand(4, 3)), K.constant(draw.rand(4, 3))
found["losses"] = np.array([K.eval(f(a, b)) for f in (losses.cosine_proximity, losses.logcosh, losses.kld)])
found["penalty"] = K.eval(l1_l2()(a))
np.savez(sys.argv[1], **found)
