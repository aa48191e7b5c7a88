"""A model of about 15 MB for images of 3 kB (32x32x3): small on disk, not small while it trains."""

import keras
from keras import layers


def _unit(x, filters, stride):
    y = layers.Activation("relu")(layers.BatchNormalization()(x))
    short = x
    if stride != 1 or x.shape[-1] != filters:
        short = layers.Conv2D(filters, 1, stride, use_bias=False)(y)
    y = layers.Conv2D(filters, 3, stride, padding="same", use_bias=False)(y)
    y = layers.Activation("relu")(layers.BatchNormalization()(y))
    return layers.Add()([short, layers.Conv2D(filters, 3, padding="same", use_bias=False)(y)])


def build(width: int = 76, units: int = 2, classes: int = 10) -> keras.Model:
    """A wide residual network: three stages of `units` units, `width` channels in the first."""
    image = keras.Input((32, 32, 3), name="image")
    x = layers.Conv2D(16, 3, padding="same", use_bias=False)(image)
    for stage, filters in enumerate((width, 2 * width, 4 * width)):
        for unit in range(units):
            x = _unit(x, filters, 2 if stage and not unit else 1)
    x = layers.Activation("relu")(layers.BatchNormalization()(x))
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, layers.Dense(classes, dtype="float32")(x), name="small_image")
