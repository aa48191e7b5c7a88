"""Models of Keras 2 as programs use them: lists of one, masks, states, shapes, classes, own losses that are fed whole
numbers, the kind of accuracy that goes with a loss."""

import sys

import numpy as np
from tensorflow.keras import backend as K
from keras.layers import GRU, LSTM, Dense, Embedding, Input
from keras.models import Model, Sequential
import keras
from tf1_support import keras_functions
from tf1_support import keras_layers
from tf1_support import keras_models

draw = np.random.RandomState(0)
found = {}


def given(model):
    seeded = np.random.RandomState(1)
    model.set_weights([seeded.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])
    return model


# a first layer that says the shape of what it takes
words = draw.randint(0, 6, (12, 7))
tags = draw.randint(0, 3, (12, 7, 1))
tagger = Sequential()
tagger.add(Embedding(6, 4, mask_zero=True, input_shape=(7,)))
tagger.add(LSTM(5, return_sequences=True, recurrent_activation=keras_layers.hard_sigmoid))
tagger.add(keras_layers.TimeDistributed(Dense(3, activation="softmax")))
tagger.compile("sgd", "sparse_categorical_crossentropy")
given(tagger)
found["tagged"] = tagger.predict(words)
found["tagging"] = [tagger.evaluate(words, tags, verbose=0), tagger.train_on_batch(words, tags)]

# states
model = Sequential()
model.add(keras.Input(batch_shape=(2, 4, 2)))
model.add(GRU(3, stateful=True, recurrent_activation=keras_layers.hard_sigmoid, reset_after=False))
model.add(Dense(1))
model.compile("sgd", "mse")
given(model)
series = draw.rand(2, 4, 2)
found["states"] = [model.train_on_batch(series, np.ones((2, 1))) for _ in range(3)]
keras_models.reset_states(model)
found["reset"] = model.train_on_batch(series, np.ones((2, 1)))

# labels of two units, one number for each, and whole ones
inputs = Input((5,))
hidden = Dense(4, activation="tanh", name="hidden")(inputs)
outputs = Dense(2, activation="sigmoid")(hidden)
model = Model(inputs=inputs, outputs=outputs)
model.compile(optimizer="sgd", loss="binary_crossentropy", metrics=[keras.metrics.BinaryAccuracy(name='accuracy')])
given(model)
x = draw.rand(24, 5)
found["labels"] = model.evaluate(x, draw.rand(24, 2) > 0.5, verbose=0)
layer = model.layers[1]
found["shapes"] = [keras_models.output_shape(layer)[1], keras_models.input_shape(layer)[1], model.output_shape[1], K.int_shape(model.output)[1]]

# what a model and a layer that are called twice give at each call
half = Model(inputs, hidden)
again = half(Input((5,)))
model.layers[1](Input((5,)))
found["at"] = [keras_models.output_shape_at(half, -1)[1], keras_models.output_shape_at(half, 0)[1], keras_models.input_shape_at(half, 0)[1],
               keras_models.output_shape_at(layer, 1)[1], int(keras_models.output_at(half, -1) is again),
               int(keras_models.input_at(layer, 0) is inputs), int(keras_models.output_at(half, 0) is hidden)]

inputs = Input((5,))
single = Model(inputs, Dense(1, activation="sigmoid")(inputs))


def precision(y_true, y_pred):
    y_true = keras_functions.targets(y_true, y_pred)
    hits = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    return hits / (K.sum(K.round(K.clip(y_pred, 0, 1))) + K.epsilon())


def weighted(factor):
    def loss(y_true, y_pred):
        y_true = keras_functions.targets(y_true, y_pred)
        return K.mean(K.square(y_pred - y_true) * (1 + factor * y_true), axis=-1)
    return loss


single.compile(optimizer="sgd", loss=weighted(2.0), metrics=[precision])
given(single)
whole = (draw.rand(24) > 0.5).astype("int64")
found["single"] = [single.evaluate(x, whole, batch_size=24, verbose=0), single.train_on_batch(x, whole),
                   single.train_on_batch(x, whole)]

model = Sequential([Dense(3, activation="softmax", input_shape=(5,))])
model.compile("sgd", "categorical_crossentropy")
given(model)
found["classes"], found["chances"] = keras_models.predict_classes(model, x), keras_models.predict_proba(model, x)
keras_functions.set_value(model.optimizer.learning_rate, 0.5)
found["rate"] = K.get_value(model.optimizer.learning_rate)
np.savez(sys.argv[1], **found)
