"""What layers of Keras 2 that programs wrote themselves ask of Keras 3."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import keras_functions, keras_layers


class Scaled(tf.keras.layers.Layer):
    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="kernel")
        self.gamma = tf.Variable(np.full(input_shape[-1], 3.0, "f"), name="gamma")
        self.shift = tf.Variable(1.0, name="shift")
        keras_layers.hold(self, [self.kernel, self.gamma])
        keras_layers.hold(self, [self.gamma, self.shift], trainable=False)

    def call(self, x):
        return x * self.gamma + self.kernel + self.shift


def test_variables_of_tensorflow_train_and_are_saved(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((2,)), Scaled()])
    assert len(model.trainable_weights) == 2 and len(model.weights) == 3
    model.compile(tf.keras.optimizers.SGD(0.1), lambda wanted, found: tf.reduce_sum(found))
    model.train_on_batch(np.ones((1, 2), "f"), np.ones((1, 2), "f"))
    np.testing.assert_allclose(model.layers[0].gamma, [2.9, 2.9], rtol=1e-6)
    kept, path = model.get_weights(), str(tmp_path / "a.weights.h5")
    model.save_weights(path)
    model.set_weights([0 * value for value in kept])
    np.testing.assert_array_equal(model.layers[0].gamma, [0.0, 0.0])
    model.load_weights(path)
    np.testing.assert_allclose(model.layers[0].gamma, [2.9, 2.9], rtol=1e-6)
    assert float(model.layers[0].shift) == 1.0


@pytest.mark.parametrize("built_late", [False, True])
def test_layers_begin_with_weights(built_late):
    table = np.arange(6.0).reshape(3, 2)
    layer = keras_layers.weighted(tf.keras.layers.Dense(2, use_bias=False), [table])
    assert keras_layers.weighted(layer, None) is layer
    model = tf.keras.Sequential([] if built_late else [tf.keras.Input((3,))])
    model.add(layer)
    np.testing.assert_array_equal(model.predict(np.eye(3), verbose=0), table)
    again = keras_layers.weighted(layer, [table + 1])
    np.testing.assert_array_equal(again.get_weights()[0], table + 1)


def test_where_images_have_their_channels():
    before = tf.keras.backend.image_data_format()
    try:
        keras_functions.set_image_dim_ordering("th")
        assert tf.keras.backend.image_data_format() == "channels_first"
        assert keras_functions.image_dim_ordering() == "th"
        keras_functions.set_image_dim_ordering("tf")
        assert keras_functions.image_dim_ordering() == "tf"
    finally:
        tf.keras.backend.set_image_data_format(before)
