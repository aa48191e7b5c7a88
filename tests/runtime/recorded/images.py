"""Resizing and drawing of images, with gradients where there are any (Python 3.7, TensorFlow 2.21)."""

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files

RESIZE_METHODS = {"bilinear": 0, "nearest_neighbor": 1, "bicubic": 2, "area": 3}
RESIZE_SIZES = [(7, 9), (3, 2), (5, 4), (10, 8)]
PAD_SIZES = [(8, 8), (3, 9)]


def images(dtype):
    """A batch [2, 5, 4, 3]."""
    return np.random.RandomState(5).uniform(0, 255, (2, 5, 4, 3)).astype(dtype)


BOXES = np.array([[[0.1, 0.2, 0.7, 0.9], [0.0, 0.0, 1.0, 0.5]]] * 2, "float32")

SUMMARY_IMAGES = {
    "signed": np.array([-2.0, 0.0, 2.0, 0.5, -0.3, 1.1], "float32").reshape(1, 1, 2, 3),
    "positive": np.linspace(0, 0.5, 12, dtype="float32").reshape(1, 2, 2, 3),
    "zero": np.zeros((1, 2, 2, 3), "float32"),
}


def record():
    arrays = {}
    with tf.Graph().as_default(), tf.Session() as session:
        for dtype in ("float32", "uint8"):
            batch = tf.constant(images(dtype))
            for method, number in RESIZE_METHODS.items():
                for align in (False, True):
                    for size in RESIZE_SIZES:
                        key = "|".join(map(str, (method, dtype, align, size)))
                        resized = tf.image.resize_images(batch, size, number, align)
                        direct = getattr(tf.image, "resize_" + method)(batch, size, align)
                        kept = tf.image.resize_images(batch, size, number, align, True)
                        arrays["images|" + key], arrays["direct|" + key], arrays["kept|" + key] = (
                            session.run([resized, direct, kept]))
                        if dtype == "float32" and method != "area":
                            loss = tf.reduce_sum(tf.square(direct))
                            arrays["gradient|" + key] = session.run(
                                tf.gradients(loss, batch)[0])
                for size in PAD_SIZES:
                    arrays["|".join(map(str, ("pad", method, dtype, size)))] = session.run(
                        tf.image.resize_image_with_pad(batch, size[0], size[1], number))
        batch = tf.constant(images("float32"))
        arrays["boxes"] = session.run(tf.image.draw_bounding_boxes(batch, BOXES))
        for centered in (False, True):
            arrays["glimpse|" + str(centered)] = session.run(tf.image.extract_glimpse(
                batch, [2, 2], [[0.4, 0.3], [0.3, 0.4]], centered=centered,
                uniform_noise=False))
        for name, values in SUMMARY_IMAGES.items():
            proto = tf.Summary.FromString(session.run(tf.summary.image(name, values)))
            arrays["summary|" + name] = session.run(
                tf.image.decode_png(proto.value[0].image.encoded_image_string))
    files.write_arrays("images", arrays)
