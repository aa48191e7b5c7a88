"""Batches of generators, and names of layers, as Keras 2 had them."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import keras_batches, keras_names

X, Y = np.arange(6, dtype="f").reshape(3, 2), np.ones((3, 1), "f")


@pytest.fixture
def model():
    a, b = tf.keras.Input((2,)), tf.keras.Input((2,))
    made = tf.keras.Model([a, b], tf.keras.layers.Dense(1, kernel_initializer="ones")(a + 10.0 * b))
    made.compile("sgd", "mse")
    return made


class Sequence(tf.keras.utils.Sequence):
    def __init__(self):
        super().__init__()
        self.ended = 0

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return [X, X + index], Y

    def on_epoch_end(self):
        self.ended += 1


def test_lists_of_inputs(model):
    def generator():
        while True:
            yield [X, X], Y

    wanted = model.fit((X, X), Y, batch_size=3, epochs=1, verbose=0).history["loss"]
    model.set_weights([np.ones((2, 1)), np.zeros(1)])
    found = model.fit(keras_batches.batches(generator()), steps_per_epoch=1, epochs=1, verbose=0)
    np.testing.assert_allclose(found.history["loss"], wanted, rtol=1e-6)
    sequence = Sequence()
    given = keras_batches.batches(sequence)
    model.fit(given, validation_data=given, epochs=2, verbose=0)
    assert sequence.ended


def test_a_list_to_predict_for_has_inputs_only(model):
    found = model.predict(keras_batches.batches(iter([[X, X]] * 2), alone=True), steps=2, verbose=0)
    np.testing.assert_allclose(found[:3], model.predict((X, X), verbose=0), rtol=1e-6)


def test_what_is_no_generator_stays():
    data = (X, Y)
    assert keras_batches.batches(data) is data and keras_batches.batches(X) is X


def test_arrays_to_predict_for():
    doubled = tf.keras.Sequential([tf.keras.layers.Rescaling(2.0)])
    found = doubled.predict(keras_batches.batches(iter([X, X]), alone=True), steps=2, verbose=0)
    np.testing.assert_allclose(found[3:], 2 * X)


def test_layers_are_numbered_from_one():
    class Own(tf.keras.layers.Layer):
        pass

    keras_names.clear_session()
    conv = tf.keras.layers.Conv2D
    made = [conv(1, 1), conv(1, 1), conv(1, 1, name="a"), Own()]
    keras_names.count_from_one()  # of another module, which changes nothing any more
    made.append(conv(1, 1))
    assert [layer.name for layer in made] == ["conv2d_1", "conv2d_2", "a", "own_1", "conv2d_3"]
    tf.keras.backend.clear_session()
    assert conv(1, 1).name == "conv2d"
