"""Image functions against TF 1.15.5 (recorded/images.py)."""
import numpy as np
import pytest
import tensorflow as tf
from tf1_support import image

from tests.runtime.recorded import files
from tests.runtime.recorded import images as cases

RECORDED = files.arrays("images")
GRID = sorted(name.split("|", 1)[1] for name in RECORDED.files if name.startswith("images|"))


def equal(actual, expected, message=""):
    assert actual.dtype.as_numpy_dtype == expected.dtype
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-4, err_msg=message)


@pytest.mark.parametrize("key", GRID)
def test_resizing(key):
    method, dtype, align, size = key.split("|")
    align, size = align == "True", tuple(map(int, size.strip("()").split(",")))
    images, number = tf.constant(cases.images(dtype)), cases.RESIZE_METHODS[method]
    equal(image.resize_images(images, size, number, align), RECORDED["images|" + key])
    equal(image.resize_images(images, size, number, align, preserve_aspect_ratio=True),
          RECORDED["kept|" + key])
    equal(image.resize_images(images[1], size, number, align), RECORDED["images|" + key][1])
    direct = getattr(image, "resize_" + method)
    if "gradient|" + key not in RECORDED:
        equal(direct(images, size, align), RECORDED["direct|" + key])
        return

    @tf.function(jit_compile=method == "bilinear")
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = direct(x, size, align)
            loss = tf.reduce_sum(tf.square(result))
        return result, tape.gradient(loss, x)
    result, gradient = run(images)
    equal(result, RECORDED["direct|" + key])
    np.testing.assert_allclose(gradient, RECORDED["gradient|" + key], rtol=1e-4, atol=1e-2)


def test_the_grid_has_cases_where_tf2_resizes_differently():
    images, size = tf.constant(cases.images("float32")), (7, 9)
    key = f"bilinear|float32|False|{size}"
    assert np.abs(tf.image.resize(images, size) - RECORDED["images|" + key]).max() > 1


@pytest.mark.parametrize("method", sorted(cases.RESIZE_METHODS))
@pytest.mark.parametrize("size", cases.PAD_SIZES)
def test_resizing_with_padding(method, size):
    for dtype in ("float32", "uint8"):
        expected = RECORDED[f"pad|{method}|{dtype}|{size}"]
        images, number = tf.constant(cases.images(dtype)), cases.RESIZE_METHODS[method]
        equal(image.resize_image_with_pad(images, *size, number), expected)
        equal(image.resize_image_with_pad(images[0], *size, number), expected[0])


def test_dynamic_sizes_and_names_of_methods():
    @tf.function(input_signature=[tf.TensorSpec([None, None, 3]), tf.TensorSpec([2], tf.int32)])
    def resize(one, size):
        return image.resize_images(one, size, tf.image.ResizeMethod.BILINEAR, align_corners=True)
    @tf.function(input_signature=[tf.TensorSpec([None, None, 3]), tf.TensorSpec([2], tf.int32)])
    def resize_by_parts(one, size):
        return image.resize_images(one, [size[0], size[1]], align_corners=True)
    images = tf.constant(cases.images("float32"))
    expected = RECORDED["images|bilinear|float32|True|(7, 9)"][0]
    equal(resize(images[0], [7, 9]), expected)
    equal(resize_by_parts(images[0], [7, 9]), expected)


def test_boxes_and_glimpses():
    images = tf.constant(cases.images("float32"))
    equal(image.draw_bounding_boxes(images, cases.BOXES), RECORDED["boxes"])
    for centered in (False, True):
        equal(image.extract_glimpse(images, [2, 2], [[0.4, 0.3], [0.3, 0.4]], centered=centered,
                                    uniform_noise=False), RECORDED[f"glimpse|{centered}"])


def test_random_crops_cover_what_they_must():
    begin, size, box = image.sample_distorted_bounding_box(
        [40, 40, 3], [[[0.2, 0.2, 0.8, 0.8]]], 1, 2, min_object_covered=0.9)
    y0, x0, y1, x1 = box.numpy()[0, 0]
    assert (min(y1, .8) - max(y0, .2)) * (min(x1, .8) - max(x0, .2)) >= 0.9 * 0.36 - 1e-6
    assert begin.shape == size.shape == (3,)


def test_errors():
    with pytest.raises(ValueError, match="3 or 4 dimensions"):
        image.resize_images(tf.zeros([4, 4]), (2, 2))
    with pytest.raises(ValueError, match="two numbers"):
        image.resize_images(tf.zeros([4, 4, 1]), [2, 2, 2])
    with pytest.raises(ValueError, match="lanczos"):
        image.resize_images(tf.zeros([4, 4, 1]), [2, 2], "lanczos")
