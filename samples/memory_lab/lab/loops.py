"""Loops: a network over each image by itself, and recurrent layers over time."""

from __future__ import annotations

import keras
import tensorflow as tf


class EachImage(keras.layers.Layer):
    """Runs a small network on one image after the other, as tf.map_fn does."""

    def __init__(self) -> None:
        super().__init__()
        self.first = keras.layers.Conv2D(16, 3, padding="same", activation="relu")
        self.second = keras.layers.Conv2D(32, 3, padding="same", activation="relu")

    def build(self, shape: tuple[int | None, ...]) -> None:
        self.first.build((None, *shape[1:]))
        self.second.build((None, *shape[1:-1], 16))
        super().build(shape)

    def call(self, images: tf.Tensor) -> tf.Tensor:
        def one(image: tf.Tensor) -> tf.Tensor:
            return tf.reduce_max(self.second(self.first(image[tf.newaxis])), axis=(0, 3))

        return tf.map_fn(one, images)

    def compute_output_shape(self, shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return shape[:-1]


def build_map() -> keras.Model:
    """float32 [batch, 64, 64, 3] -> [batch, 64, 64]."""
    images = keras.Input((64, 64, 3))
    return keras.Model(images, EachImage()(images))


def build_lstm() -> keras.Model:
    """float32 [batch, 50, 32] -> [batch, 10]: two LSTM layers."""
    steps = keras.Input((50, 32))
    hidden = keras.layers.LSTM(64, return_sequences=True)(steps)
    return keras.Model(steps, keras.layers.Dense(10)(keras.layers.LSTM(64)(hidden)))
