"""Calls of standalone Keras 2 (TF167) and what star imports of it bring."""

from __future__ import annotations

import pytest

from tests.transforms.keras_calls.test_keras2 import migrated

HEAD = "from keras.layers import {0}\nfrom keras import backend as K\n"


def layer(name: str, before: str) -> str:
    text = migrated(HEAD.format(name) + f"x = {before}\nprint(K.mean(x))\n")[0]
    return text.partition("x = ")[2].partition("\n")[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Conv2D(8, 3, 2)", "Conv2D(8, (3, 2))"),
        ("Conv2D(8, size, size, activation='relu')", "Conv2D(8, (size, size), activation='relu')"),
        ("Conv2D(8, (3, 3), (2, 2))",) * 2,
        ("Conv2D(8, 3, 3, padding='same')",) * 2,
        ("Conv2D(8, nb_row=3, nb_col=2)", "Conv2D(8, kernel_size=(3, 2))"),
        ("Conv2D(8, 3, subsample=2, border_mode='same')", "Conv2D(8, 3, strides=2, padding='same')"),
        ("Dense(output_dim=3, W_regularizer='l2', bias=False)",
         "Dense(units=3, kernel_regularizer='l2', use_bias=False)"),
        ("MaxPooling2D((2, 2), dim_ordering='th')", "MaxPooling2D((2, 2), data_format='channels_first')"),
        ("MaxPooling2D((2, 2), dim_ordering=way)",
         "MaxPooling2D((2, 2), data_format={'tf': 'channels_last', 'th': 'channels_first'}.get(way))"),
        ("Dropout(p=0.5)", "Dropout(rate=0.5)"),
        ("AveragePooling2D()", "AveragePooling2D(pool_size=(2, 2))"),
        ("AveragePooling2D(3)",) * 2,
        ("LSTM(3, recurrent_activation='sigmoid')",) * 2,
        ("GRU(3)", "GRU(3, recurrent_activation=keras_layers.hard_sigmoid, reset_after=False)"),
        ("Dense(3, weights=[a, b], name='x')", "keras_layers.weighted(Dense(3, name='x'), [a, b])"),
    ],
)
def test_layers(before: str, after: str) -> None:
    assert layer(before.partition("(")[0], before) == after


def test_models_in_the_words_of_keras_1() -> None:
    text, _ = migrated("from keras.models import Model\nx = Model(input=a, output=[b])\n")
    assert "Model(inputs=a, outputs=b)" in text  # of whose list Keras 3 would make one in model.output


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("'rmsprop'", "keras_optimizers.RMSprop()"),
        ("'Adagrad'", "keras_optimizers.Adagrad()"),
        ("'adadelta'", "keras.optimizers.Adadelta(learning_rate=1.0)"),
        ("'adam'",) * 2,
        ("chosen",) * 2,
    ],
)
def test_optimizers_by_name(name: str, after: str) -> None:
    text, _ = migrated(f"import keras\nmodel = keras.Model(x, y)\nmodel.compile({name}, 'mse')\n"
                       "model.fit_generator(batches)\n")
    assert f"model.compile({after}, 'mse')" in text


def test_optimizers_of_tensorflow() -> None:
    text, _ = migrated("from tensorflow import keras\nmodel.compile(keras.optimizers.RMSprop(lr=0.1))\n"
                       "model.compile(optimizer='rmsprop')\nmodel.compile('adagrad')\n"
                       "x = keras.optimizers.RMSprop(0.1, momentum=0.9)\n")
    assert "model.compile(keras_optimizers.RMSprop(learning_rate=0.1))\n" in text
    assert "model.compile(optimizer=keras_optimizers.RMSprop())\nmodel.compile('adagrad')\n" in text
    assert "x = keras_optimizers.RMSprop(0.1, momentum=0.9)" in text  # which then goes by Keras 3


def test_what_was_written_for_keras_3_stays() -> None:
    before = "from keras import ops\nfrom keras.layers import LSTM\nx = ops.mean(LSTM(3)(y))\n"
    assert migrated(before) == (before, [])


def test_rates_of_optimizers() -> None:
    text, _ = migrated(
        "from keras.optimizers import SGD\nfrom keras import backend as K\nmade = SGD(lr=0.1)\n"
        "K.set_value(made.lr, 1)\nif hasattr(self.model.optimizer, 'lr'):\n"
        "    print(self.model.optimizer.lr)\nprint(args.lr, hasattr(args, 'lr'))\n")
    assert "made = SGD(learning_rate=0.1)\nkeras_functions.set_value(made.learning_rate, 1)\n" in text
    assert 'hasattr(self.model.optimizer, "learning_rate")' in text
    assert "print(self.model.optimizer.learning_rate)" in text
    assert "print(args.lr, hasattr(args, 'lr'))" in text


def test_names_of_star_imports() -> None:
    text, findings = migrated(
        "from keras.models import *\nfrom keras.layers import *\nfrom keras.optimizers import *\n\n"
        "x = Input((3,))\ny = merge.add([x, LeakyReLU(alpha=0.1)(x)])\nm = Model(input=x, output=y)\n"
        "m.compile(Adam(lr=0.1), 'mse')\nm.fit_generator(other(x))\nprint(K.mean(x))\n")
    assert "LeakyReLU(negative_slope=0.1)(x)" in text and "Model(inputs=x, outputs=y)" in text
    assert "m.compile(Adam(learning_rate=0.1), 'mse')" in text and "m.fit(" in text
    assert "other(x)" in text and "keras.backend.mean, x)" in text and not findings
