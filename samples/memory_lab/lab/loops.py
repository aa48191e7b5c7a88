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


def build_bidirectional() -> keras.Model:
    """float32 [batch, 30, 24] -> [batch, 30, 6]: an LSTM both ways, then a GRU, with an output a step."""
    steps = keras.Input((30, 24))
    hidden = keras.layers.Bidirectional(keras.layers.LSTM(40, return_sequences=True))(steps)
    return keras.Model(
        steps, keras.layers.Dense(6)(keras.layers.GRU(32, return_sequences=True)(hidden))
    )


class Decoder(keras.layers.Layer):
    """Writes steps one after the other into a TensorArray, each from the one before and the whole input."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.length = length
        self.cell = keras.layers.GRUCell(48)
        self.attend = keras.layers.Dense(48)
        self.word = keras.layers.Dense(20, activation="softmax")

    def build(self, shape: tuple[int | None, ...]) -> None:
        self.attend.build((None, shape[1], shape[2]))
        self.cell.build((None, 48 + 20))
        self.word.build((None, 48))
        super().build(shape)

    def call(self, steps: tf.Tensor) -> tf.Tensor:
        keys = self.attend(steps)
        state = tf.reduce_mean(keys, 1)

        def one(
            i: tf.Tensor, state: tf.Tensor, word: tf.Tensor, words: tf.TensorArray
        ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.TensorArray]:
            weights = tf.nn.softmax(tf.einsum("btk,bk->bt", keys, state))
            seen = tf.einsum("bt,btk->bk", weights, keys)
            state, _ = self.cell(tf.concat([seen, word], 1), [state])
            word = self.word(state)
            return i + 1, state, word, words.write(i, word)

        first = tf.zeros_like(steps[:, 0, :20])
        words = tf.TensorArray(tf.float32, self.length, element_shape=first.shape)
        words = tf.while_loop(
            lambda i, *_: i < self.length, one, (0, state, first, words)
        )[-1]  # fmt: skip
        return tf.transpose(words.stack(), (1, 0, 2))

    def compute_output_shape(self, shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return (shape[0], self.length, 20)


def build_decoder() -> keras.Model:
    """float32 [batch, 16, 24] -> [batch, 12, 20]: a while_loop with attention and a TensorArray."""
    steps = keras.Input((16, 24))
    return keras.Model(steps, Decoder(12)(steps))
