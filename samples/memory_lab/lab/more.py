"""Networks of other kinds, small: what the predictor of peaks was not tuned on."""

from __future__ import annotations

import functools
from typing import Any

import keras
import tensorflow as tf
from keras import layers


def build_unet() -> keras.Model:
    """float32 [batch, 64, 64, 3] -> [batch, 64, 64, 4]: three levels with skip connections."""

    def block(x: Any, filters: int) -> Any:
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
            x = layers.ReLU()(layers.BatchNormalization()(x))
        return x

    images = keras.Input((64, 64, 3))
    kept, x = [], images
    for filters in (16, 32, 64):
        x = block(x, filters)
        kept.append(x)
        x = layers.MaxPooling2D()(x)
    x = block(x, 128)
    for filters, skip in zip((64, 32, 16), reversed(kept), strict=True):
        x = layers.Conv2DTranspose(filters, 2, strides=2)(x)
        x = block(layers.Concatenate()([x, skip]), filters)
    return keras.Model(images, layers.Conv2D(4, 1)(x))


def build_transformer() -> keras.Model:
    """float32 [batch, 64, 48] -> [batch, 8]: two encoder blocks with attention."""
    steps = keras.Input((64, 48))
    x = layers.Dense(96)(steps)
    for _ in range(2):
        attended = layers.MultiHeadAttention(4, 24)(x, x)
        x = layers.LayerNormalization()(x + attended)
        wide = layers.Dense(96)(layers.Dense(384, activation="gelu")(x))
        x = layers.LayerNormalization()(x + wide)
    return keras.Model(steps, layers.Dense(8)(layers.GlobalAveragePooling1D()(x)))


def build_text() -> keras.Model:
    """float32 [batch, 40], drawn normally and made into 2000 words -> [batch, 5]: GRUs both ways."""
    drawn = keras.Input((40,))
    words = keras.ops.cast(keras.ops.minimum(keras.ops.abs(drawn) * 600.0, 1999.0), "int32")
    x = layers.Embedding(2000, 64)(words)
    x = layers.Bidirectional(layers.GRU(48))(x)
    return keras.Model(drawn, layers.Dense(5)(layers.Dropout(0.3)(x)))


def build_squeeze() -> keras.Model:
    """float32 [batch, 96, 96, 3] -> [batch, 10]: inverted bottlenecks with squeeze and excitation."""
    images = keras.Input((96, 96, 3))
    x = layers.Conv2D(16, 3, 2, padding="same", use_bias=False)(images)
    x = layers.Activation("swish")(layers.BatchNormalization()(x))
    for filters, stride, kernel in ((24, 2, 3), (24, 1, 3), (40, 2, 5), (40, 1, 5)):
        before, wide = x, x.shape[-1] * 4
        x = layers.Conv2D(wide, 1, use_bias=False)(x)
        x = layers.Activation("swish")(layers.BatchNormalization()(x))
        x = layers.DepthwiseConv2D(kernel, stride, padding="same", use_bias=False)(x)
        x = layers.Activation("swish")(layers.BatchNormalization()(x))
        weight = layers.GlobalAveragePooling2D(keepdims=True)(x)
        weight = layers.Conv2D(before.shape[-1] // 4, 1, activation="swish")(weight)
        x = layers.Multiply()([x, layers.Conv2D(wide, 1, activation="sigmoid")(weight)])
        x = layers.BatchNormalization()(layers.Conv2D(filters, 1, use_bias=False)(x))
        if before.shape == x.shape:
            x = layers.Add()([before, x])
    return keras.Model(images, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


class Own:
    """Networks with a training step of their own."""

    def __init__(self, *nets: keras.Model) -> None:
        self.nets = nets

    @functools.cached_property
    def optimizers(self) -> list[keras.optimizers.Optimizer]:
        """One a network, with its slots; made when training begins."""
        made = [keras.optimizers.Adam(1e-4) for _ in self.nets]
        for optimizer, net in zip(made, self.nets, strict=True):
            optimizer.build(net.trainable_variables)
        return made

    @property
    def variables(self) -> list[Any]:
        return [v for net in self.nets for v in net.variables]

    def update(self, tape: tf.GradientTape, *losses: tf.Tensor) -> tf.Tensor:
        """One update of each network by its loss; the losses' sum."""
        for net, loss, optimizer in zip(self.nets, losses, self.optimizers, strict=True):
            optimizer.apply(tape.gradient(loss, net.trainable_variables), net.trainable_variables)
        return tf.add_n(losses)


class Adversaries(Own):
    """A generator and a discriminator, trained in one step by an optimizer each."""

    def __init__(self) -> None:
        noise = keras.Input((64,))
        x = layers.Reshape((8, 8, 64))(layers.Dense(8 * 8 * 64, activation="relu")(noise))
        for filters in (32, 16):
            x = layers.Conv2DTranspose(filters, 4, 2, padding="same", use_bias=False)(x)
            x = layers.LeakyReLU()(layers.BatchNormalization()(x))
        generator = keras.Model(noise, layers.Conv2D(3, 3, padding="same", activation="tanh")(x))
        image = x = keras.Input((32, 32, 3))
        for filters in (16, 32, 64):
            x = layers.LeakyReLU()(layers.Conv2D(filters, 4, 2, padding="same")(x))
        super().__init__(generator, keras.Model(image, layers.Dense(1)(layers.Flatten()(x))))

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        """Whether images are real, as logits [batch, 1]."""
        return self.nets[1](images, training=False)

    def train(self, images: tf.Tensor) -> tf.Tensor:
        """One step of both; the sum of their losses."""
        generator, discriminator = self.nets
        drawn = tf.random.stateless_normal((images.shape[0], 64), (5, 6))
        entropy = tf.nn.sigmoid_cross_entropy_with_logits
        with tf.GradientTape(persistent=True) as tape:
            fake = discriminator(generator(drawn, training=True), training=True)
            real = discriminator(images, training=True)
            fooled = tf.reduce_mean(entropy(tf.ones_like(fake), fake))
            told = tf.reduce_mean(entropy(tf.ones_like(real), real))
            told += tf.reduce_mean(entropy(tf.zeros_like(fake), fake))
        return self.update(tape, fooled, told)


def build_adversaries() -> Adversaries:
    """float32 [batch, 32, 32, 3] -> [batch, 1]."""
    return Adversaries()


class Heads(Own):
    """A detector of 256 places and 6 classes; non-maximum suppression behind its heads."""

    def __init__(self) -> None:
        images = x = keras.Input((128, 128, 3))
        for filters in (16, 32, 48):
            x = layers.Conv2D(filters, 3, 2, padding="same", use_bias=False)(x)
            x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
        places = layers.Reshape((256, 4))(layers.Conv2D(4, 3, padding="same")(x))
        scores = layers.Conv2D(6, 3, padding="same", activation="sigmoid")(x)
        super().__init__(keras.Model(images, [places, layers.Reshape((256, 6))(scores)]))

    def __call__(self, images: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The 20 best boxes [batch, 20, 4] and their scores [batch, 20]."""
        places, scores = self.nets[0](images, training=False)
        found = tf.image.combined_non_max_suppression(
            places[:, :, tf.newaxis], scores, 10, 20, 0.5, 0.1, clip_boxes=False
        )
        return found[0], found[1]

    def train(self, images: tf.Tensor) -> tf.Tensor:
        """One step: boxes to the middle, scores to nothing."""
        with tf.GradientTape() as tape:
            places, scores = self.nets[0](images, training=True)
            loss = tf.reduce_mean(tf.abs(places - 0.5)) - tf.reduce_mean(tf.math.log1p(-scores))
        return self.update(tape, loss)


def build_detection() -> Heads:
    """float32 [batch, 128, 128, 3] -> boxes and scores."""
    return Heads()
