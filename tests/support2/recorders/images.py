"""Records TF 1.15.5's resizing and drawing of images, with gradients where there are any."""
import os

import cases
import numpy as np
import tensorflow as tf


def record(out):
    arrays = {}
    with tf.Graph().as_default(), tf.Session() as session:
        for dtype in ("float32", "uint8"):
            images = tf.constant(cases.images(dtype))
            for method, number in cases.RESIZE_METHODS.items():
                for align in (False, True):
                    for size in cases.RESIZE_SIZES:
                        key = "|".join(map(str, (method, dtype, align, size)))
                        resized = tf.image.resize_images(images, size, number, align)
                        direct = getattr(tf.image, "resize_" + method)(images, size, align)
                        kept = tf.image.resize_images(images, size, number, align, True)
                        arrays["images|" + key], arrays["direct|" + key], arrays["kept|" + key] = (
                            session.run([resized, direct, kept]))
                        if dtype == "float32" and method != "area":
                            loss = tf.reduce_sum(tf.square(direct))
                            arrays["gradient|" + key] = session.run(
                                tf.gradients(loss, images)[0])
                for size in cases.PAD_SIZES:
                    arrays["|".join(map(str, ("pad", method, dtype, size)))] = session.run(
                        tf.image.resize_image_with_pad(images, size[0], size[1], number))
        images = tf.constant(cases.images("float32"))
        arrays["boxes"] = session.run(tf.image.draw_bounding_boxes(images, cases.BOXES))
        for centered in (False, True):
            arrays["glimpse|" + str(centered)] = session.run(tf.image.extract_glimpse(
                images, [2, 2], [[0.4, 0.3], [0.3, 0.4]], centered=centered,
                uniform_noise=False))
        for name, values in cases.SUMMARY_IMAGES.items():
            proto = tf.Summary.FromString(session.run(tf.summary.image(name, values)))
            arrays["summary|" + name] = session.run(
                tf.image.decode_png(proto.value[0].image.encoded_image_string))
    np.savez_compressed(os.path.join(out, "images.npz"), **arrays)
