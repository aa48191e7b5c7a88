"""What Keras 2 took where nothing is given, and Keras 3 takes otherwise: recurrent layers, pooling,
regularizers, optimizers by class and by name, losses and metrics by name."""

import sys

import numpy as np
from tensorflow.keras import backend as K
from keras import losses, optimizers
from keras.constraints import MaxNorm as maxnorm
from keras.constraints import NonNeg as nonneg
from keras.layers import (
    GRU, LSTM, RNN, Activation, AveragePooling1D, AveragePooling2D, Bidirectional, ConvLSTM2D, Dense, GRUCell, Input,
    LSTMCell, UpSampling2D,
)
from keras.models import Model, Sequential
from keras.optimizers import SGD, Adadelta
from tf1_support.keras_optimizers import Adagrad
from tf1_support.keras_optimizers import RMSprop
from keras.regularizers import l1_l2
import keras
from tf1_support import keras_layers
from tf1_support import keras_optimizers
from tf1_support import keras_tensors

keras_tensors.accept()

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


look("lstm", LSTM(4, recurrent_activation=keras_layers.hard_sigmoid), 5, 3)
look("gru", GRU(4, return_sequences=True, recurrent_activation=keras_layers.hard_sigmoid, reset_after=False), 5, 3)
look("hard", GRU(4, recurrent_activation=keras_layers.hard_sigmoid, reset_after=False), 5, 3)
look("both", Bidirectional(LSTM(2, recurrent_activation=keras_layers.hard_sigmoid)), 5, 3)
look("cells", RNN([LSTMCell(4, recurrent_activation=keras_layers.hard_sigmoid), GRUCell(3, recurrent_activation=keras_layers.hard_sigmoid, reset_after=False)]), 5, 3)
look("pictures", ConvLSTM2D(2, 3, recurrent_activation=keras_layers.hard_sigmoid), 3, 5, 5, 2)
look("activation", Activation(keras_layers.hard_sigmoid), 3)
look("pool", AveragePooling2D(pool_size=(2, 2)), 4, 4, 2)
look("pool1", AveragePooling1D(pool_size=2), 4, 2)
look("larger", keras_layers.UpSampling2D(2, interpolation="bilinear"), 3, 4, 2)

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
trained("rmsprop_small", RMSprop(learning_rate=0.01, rho=0.8), lambda y_true, y_pred: 1e-4 * K.mean(K.square(y_true - y_pred), -1))
trained("adagrad", Adagrad())
trained("adadelta", Adadelta(learning_rate=1.0))
trained("momentum", SGD(learning_rate=0.1, momentum=0.9, nesterov=True))

for optimizer in range(3):
    named = Sequential([Dense(2, input_shape=(3,), kernel_regularizer=l1_l2(l1=0.01, l2=0.01))])
    if optimizer == 0:
        named.compile(keras_optimizers.RMSprop(), "log_cosh", metrics=[keras.losses.cosine_similarity])
    elif optimizer == 1:
        named.compile(optimizer=keras.optimizers.Adadelta(learning_rate=1.0), loss=keras.losses.cosine_similarity, metrics=["kl_divergence"])
    else:
        named.compile(keras_optimizers.Adagrad(), loss=["log_cosh"])
    given(named)
    found["named%d" % optimizer] = np.concatenate([np.ravel(named.train_on_batch(x, y)) for _ in range(3)])
trained("got", optimizers.get(keras_optimizers.Adagrad()))

a, b = K.constant(draw.rand(4, 3)), K.constant(draw.rand(4, 3))
found["losses"] = np.array([K.eval(f(a, b)) for f in (losses.cosine_similarity, losses.log_cosh, losses.kl_divergence)])
found["penalty"] = K.eval(l1_l2(l1=0.01, l2=0.01)(a))
np.savez(sys.argv[1], **found)
