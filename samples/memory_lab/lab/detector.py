"""A single-shot detector with its post-processing in the graph: box decoding, NMS and a loop."""

import tensorflow as tf


class Detector(tf.keras.Model):
    """MobileNet-style backbone, two heads, decoding and non-maximum suppression for each image."""

    def __init__(self, size=160, classes=20, boxes=6, kept=50):
        super().__init__()
        self.classes, self.kept = classes, kept
        keras = tf.keras
        image = keras.Input((size, size, 3))
        x = image
        for filters, stride in ((32, 2), (64, 2), (128, 2), (256, 2)):
            x = keras.layers.DepthwiseConv2D(3, stride, padding="same")(x)
            x = keras.layers.Conv2D(filters, 1, use_bias=False)(x)
            x = keras.layers.ReLU(6.0)(keras.layers.BatchNormalization()(x))
        places = keras.layers.Conv2D(boxes * 4, 3, padding="same")(x)
        scores = keras.layers.Conv2D(boxes * classes, 3, padding="same")(x)
        self.net = keras.Model(image, [places, scores])
        side = size // 16
        centres = (tf.range(side, dtype=tf.float32) + 0.5) / side
        y, x = tf.meshgrid(centres, centres, indexing="ij")
        grid = tf.repeat(tf.reshape(tf.stack([y, x], -1), (-1, 2)), boxes, axis=0)
        self.anchors = tf.constant(tf.concat([grid - 0.1, grid + 0.1], -1).numpy())

    def call(self, images, training=False):
        """Boxes [N, kept, 4] and scores [N, kept] of the best class of each place."""
        places, scores = self.net(images, training=training)
        batch = tf.shape(images)[0]
        boxes = tf.reshape(places, (batch, -1, 4)) * 0.1 + self.anchors
        best = tf.reduce_max(
            tf.sigmoid(tf.reshape(scores, (batch, -1, self.classes))), axis=-1
        )

        def one(pair):
            mine, value = pair
            chosen, count = tf.image.non_max_suppression_padded(
                mine, value, self.kept, iou_threshold=0.6, pad_to_max_output_size=True
            )
            valid = tf.cast(tf.range(self.kept) < count, tf.float32)
            return tf.gather(mine, chosen), tf.gather(value, chosen) * valid

        return tf.map_fn(one, (boxes, best), fn_output_signature=(tf.float32, tf.float32))


def build(**kwargs) -> Detector:
    """The detector; `kwargs` as of Detector."""
    return Detector(**kwargs)


def recurrent(units: int = 128, length: int = 40, features: int = 32):
    """An LSTM written as a loop over time: control flow with a gradient."""
    keras = tf.keras
    tokens = keras.Input((length, features))
    x = keras.layers.LSTM(units, use_cudnn=False)(tokens)
    return keras.Model(tokens, keras.layers.Dense(4)(x))
