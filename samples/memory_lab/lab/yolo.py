"""Detectors in the style of YOLOv4: a tiny one, and a deeper one with a neck that mixes three scales.

Only the network is here: backbone, neck and raw heads, which is where the memory goes.
"""

import keras
from keras import layers

ANCHORS = 3
DEEP_BLOCKS = (1, 2, 8, 8, 4)  # residual units in the stages of CSPDarknet53


def _conv(x, filters, size=3, stride=1, activation="leaky_relu"):
    x = layers.Conv2D(filters, size, stride, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.Activation(activation)(x)


def _tiny_stage(x, filters):
    """CSP as in the tiny network: half of the channels go through two small convolutions."""
    x = _conv(x, filters)
    first = _conv(x[..., filters // 2 :], filters // 2)
    second = _conv(first, filters // 2)
    joined = _conv(layers.Concatenate()([second, first]), filters, 1)
    wide = layers.Concatenate()([x, joined])
    return layers.MaxPooling2D()(wide), joined


def _deep_stage(x, filters, units):
    """CSP as in the deep network: one of two branches is a stack of residual units."""
    x = _conv(x, filters, 3, 2, "mish")
    side = _conv(x, filters // 2, 1, activation="mish")
    main = _conv(x, filters // 2, 1, activation="mish")
    for _ in range(units):
        inner = _conv(main, filters // 2, 1, activation="mish")
        main = layers.Add()([main, _conv(inner, filters // 2, activation="mish")])
    main = _conv(main, filters // 2, 1, activation="mish")
    return _conv(layers.Concatenate()([main, side]), filters, 1, activation="mish")


def _up(x, filters):
    return layers.UpSampling2D()(_conv(x, filters, 1))


def _head(x, filters, outputs):
    return layers.Conv2D(outputs, 1, dtype="float32")(_conv(x, filters))


def build_tiny(size: int = 416, classes: int = 80) -> keras.Model:
    """About 6 million weights, two scales."""
    outputs = ANCHORS * (classes + 5)
    image = keras.Input((size, size, 3), name="image")
    x = _conv(_conv(image, 32, 3, 2), 64, 3, 2)
    x, _ = _tiny_stage(x, 64)
    x, _ = _tiny_stage(x, 128)
    x, fine = _tiny_stage(x, 256)
    x = _conv(_conv(x, 512), 256, 1)
    coarse = _head(x, 512, outputs)
    mixed = layers.Concatenate()([_up(x, 128), fine])
    return keras.Model(image, [coarse, _head(mixed, 256, outputs)], name="yolo_tiny")


def build_deep(size: int = 416, classes: int = 80) -> keras.Model:
    """About 50 million weights, three scales."""
    outputs = ANCHORS * (classes + 5)
    image = keras.Input((size, size, 3), name="image")
    x = _conv(image, 32, activation="mish")
    stages = []
    for filters, units in zip((64, 128, 256, 512, 1024), DEEP_BLOCKS):
        x = _deep_stage(x, filters, units)
        stages.append(x)
    x = _conv(_conv(_conv(x, 512, 1), 1024), 512, 1)
    pools = [layers.MaxPooling2D(k, 1, padding="same")(x) for k in (5, 9, 13)]
    coarse = _conv(layers.Concatenate()([x, *pools]), 512, 1)
    middle = layers.Concatenate()([_conv(stages[3], 256, 1), _up(coarse, 256)])
    middle = _conv(_conv(_conv(middle, 256, 1), 512), 256, 1)
    fine = layers.Concatenate()([_conv(stages[2], 128, 1), _up(middle, 128)])
    fine = _conv(_conv(_conv(fine, 128, 1), 256), 128, 1)
    middle = _conv(layers.Concatenate()([_conv(fine, 256, 3, 2), middle]), 256, 1)
    coarse = _conv(layers.Concatenate()([_conv(middle, 512, 3, 2), coarse]), 512, 1)
    heads = [_head(fine, 256, outputs), _head(middle, 512, outputs), _head(coarse, 1024, outputs)]
    return keras.Model(image, heads, name="yolo_deep")
