"""tf.contrib.image: rotations, translations and projective transforms of images, colours, matching."""
from __future__ import annotations

from typing import Any

import tensorflow as tf

_IMAGE_DTYPES = (tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64)


def transform(images: Any, transforms: Any, interpolation: str = "NEAREST",
              output_shape: Any = None, name: str | None = None) -> tf.Tensor:
    """Applies projective transforms; what comes from outside of the image is 0.

    Args:
        images: [n, height, width, channels], [height, width, channels] or [height, width].
        transforms: [8] or [n, 8]; a0..a2, b0..b2, c0, c1 map the output point (x, y) to the input
            point ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1.
        interpolation: "NEAREST" or "BILINEAR".
        output_shape: [height, width] of the result; default: that of the images.

    Raises:
        TypeError: the dtype or the rank of `images`, or the rank of `transforms`, does not fit.
    """
    images = tf.convert_to_tensor(images)
    transforms = tf.convert_to_tensor(transforms, tf.float32)
    if images.dtype not in _IMAGE_DTYPES:
        raise TypeError(f"Invalid dtype {images.dtype}.")
    rank = images.shape.rank
    if rank not in (2, 3, 4):
        raise TypeError(f"Images should have rank between 2 and 4, not {rank}.")
    if transforms.shape.rank not in (1, 2):
        raise TypeError(f"Transforms should have rank 1 or 2, not {transforms.shape.rank}.")
    batch = images[tf.newaxis, :, :, tf.newaxis] if rank == 2 else (
        images[tf.newaxis] if rank == 3 else images)
    output_shape = tf.shape(batch)[1:3] if output_shape is None else output_shape
    with tf.name_scope(name or "transform"):
        result = tf.raw_ops.ImageProjectiveTransformV3(
            images=batch, transforms=tf.reshape(transforms, [-1, 8]),
            output_shape=tf.cast(output_shape, tf.int32), fill_value=0.0,
            interpolation=interpolation.upper(), fill_mode="CONSTANT")
    if rank == 2:
        return result[0, :, :, 0]
    return result[0] if rank == 3 else result


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST",
           name: str | None = None) -> tf.Tensor:
    """Images rotated counterclockwise around their centre.

    Args:
        images: See `transform`.
        angles: In radians: one for all images, or [n].
    """
    images = tf.convert_to_tensor(images)
    if images.shape.rank not in (2, 3, 4):
        raise TypeError(f"Images should have rank between 2 and 4, not {images.shape.rank}.")
    first = 1 if images.shape.rank == 4 else 0
    height, width = tf.unstack(tf.cast(tf.shape(images)[first:first + 2], tf.float32))
    return transform(images, angles_to_projective_transforms(angles, height, width),
                     interpolation, name=name or "rotate")


def translate(images: Any, translations: Any, interpolation: str = "NEAREST",
              name: str | None = None) -> tf.Tensor:
    """Images moved by [dx, dy], one for all images or one for each ([n, 2])."""
    return transform(images, translations_to_projective_transforms(translations), interpolation,
                     name=name or "translate")


def angles_to_projective_transforms(angles: Any, image_height: Any, image_width: Any,
                                    name: str | None = None) -> tf.Tensor:
    """Transforms [n, 8] that rotate images of a size by angles in radians (a scalar or [n])."""
    angles = tf.convert_to_tensor(angles, tf.float32)
    if angles.shape.rank not in (0, 1):
        raise TypeError(f"Angles should have rank 0 or 1, not {angles.shape.rank}.")
    angles = tf.reshape(angles, [-1])
    right, bottom = tf.cast(image_width, tf.float32) - 1, tf.cast(image_height, tf.float32) - 1
    cosine, sine = tf.cos(angles), tf.sin(angles)
    x_offset = (right - (cosine * right - sine * bottom)) / 2.0
    y_offset = (bottom - (sine * right + cosine * bottom)) / 2.0
    zero = tf.zeros_like(angles)
    return tf.stack([cosine, -sine, x_offset, sine, cosine, y_offset, zero, zero], axis=1)


def translations_to_projective_transforms(translations: Any,
                                          name: str | None = None) -> tf.Tensor:
    """Transforms [n, 8] that move images by [dx, dy] ([2] or [n, 2])."""
    translations = tf.convert_to_tensor(translations, tf.float32)
    if translations.shape.rank not in (1, 2):
        raise TypeError(f"Translations should have rank 1 or 2, not {translations.shape.rank}.")
    dx, dy = tf.unstack(tf.reshape(translations, [-1, 2]), axis=1)
    one, zero = tf.ones_like(dx), tf.zeros_like(dx)
    return tf.stack([one, zero, -dx, zero, one, -dy, zero, zero], axis=1)


def flat_transforms_to_matrices(transforms: Any) -> tf.Tensor:
    """Transforms [8] or [n, 8] as matrices [n, 3, 3] from output to input coordinates.

    Raises:
        ValueError: the rank of `transforms` is another one.
    """
    transforms = tf.convert_to_tensor(transforms)
    if transforms.shape.rank not in (1, 2):
        raise ValueError(f"Transforms should be 1D or 2D, got: {transforms}")
    transforms = tf.reshape(transforms, [-1, 8])
    return tf.reshape(tf.concat([transforms, tf.ones_like(transforms[:, :1])], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> tf.Tensor:
    """Matrices [3, 3] or [n, 3, 3] from output to input coordinates as transforms [n, 8].

    Raises:
        ValueError: the rank of `transform_matrices` is another one.
    """
    matrices = tf.convert_to_tensor(transform_matrices)
    if matrices.shape.rank not in (2, 3):
        raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
    flat = tf.reshape(matrices, [-1, 9])
    return flat[:, :8] / flat[:, 8:]


def compose_transforms(*transforms: Any) -> tf.Tensor:
    """One transform [n, 8] that does what the given ones do one after the other."""
    if not transforms:
        raise ValueError("compose_transforms needs a transform")
    composed = flat_transforms_to_matrices(transforms[0])
    for further in transforms[1:]:
        composed = composed @ flat_transforms_to_matrices(further)
    return matrices_to_flat_transforms(composed)


_YIQ = [[0.299, 0.596, 0.211], [0.587, -0.274, -0.523], [0.114, -0.322, 0.312]]  # rows: R, G, B


def adjust_hsv_in_yiq(image: Any, delta_hue: Any = 0, scale_saturation: Any = 1,
                      scale_value: Any = 1, name: str | None = None) -> tf.Tensor:
    """RGB images with hue turned by an angle (radians), saturation and brightness scaled.

    The hue is turned in the plane of the chrominance channels of YIQ. Integers that get too bright
    are clipped (TF 1 let them overflow).
    """
    image = tf.convert_to_tensor(image)
    to_yiq = tf.constant(_YIQ)
    hue, chroma = tf.cast(delta_hue, tf.float32), tf.cast(scale_saturation, tf.float32)
    cosine, sine = chroma * tf.cos(hue), chroma * tf.sin(hue)
    one, zero = tf.ones([]), tf.zeros([])
    turn = tf.reshape(tf.stack([one, zero, zero, zero, cosine, sine, zero, -sine, cosine]), [3, 3])
    matrix = tf.cast(scale_value, tf.float32) * (to_yiq @ turn @ tf.linalg.inv(to_yiq))
    altered = tf.tensordot(tf.image.convert_image_dtype(image, tf.float32), matrix, 1)
    return tf.image.convert_image_dtype(altered, image.dtype)


def random_hsv_in_yiq(image: Any, max_delta_hue: float = 0, lower_saturation: float = 1,
                      upper_saturation: float = 1, lower_value: float = 1,
                      upper_value: float = 1, seed: int | None = None) -> tf.Tensor:
    """`adjust_hsv_in_yiq` by random amounts between the bounds.

    Raises:
        ValueError: a bound is negative, or a lower one is above the upper one.
    """
    if min(max_delta_hue, lower_saturation, lower_value) < 0:
        raise ValueError("max_delta_hue, lower_saturation and lower_value must not be negative")
    if lower_saturation > upper_saturation or lower_value > upper_value:
        raise ValueError("a lower bound is above the upper one")
    return adjust_hsv_in_yiq(
        image, tf.random.uniform([], -max_delta_hue, max_delta_hue, seed=seed),
        tf.random.uniform([], lower_saturation, upper_saturation, seed=seed),
        tf.random.uniform([], lower_value, upper_value, seed=seed))


def bipartite_match(distance_mat: Any, num_valid_rows: Any, top_k: Any = -1,
                    name: str | None = "bipartite_match") -> tuple[tf.Tensor, tf.Tensor]:
    """Greedy matching: again and again the closest row and column that are both still free.

    Args:
        distance_mat: Distances [rows, columns].
        num_valid_rows: How many of the first rows to use (a scalar or [1]); negative: all.
        top_k: How many pairs to make at most; negative: as many as there are.

    Returns:
        The column of each row [rows] and the row of each column [columns], int32; -1 for none.

    Raises:
        tf.errors.InvalidArgumentError: there are less than `num_valid_rows` rows.
    """
    distances = tf.convert_to_tensor(distance_mat, tf.float32)
    rows, columns = tf.unstack(tf.shape(distances))
    valid = tf.cast(tf.reshape(num_valid_rows, []), tf.int32)
    too_few = tf.debugging.assert_less_equal(valid, rows, "distance_mat has too few rows")
    with tf.control_dependencies([too_few] if too_few is not None else []):
        valid = tf.where(valid < 0, rows, valid)
    top_k = tf.cast(top_k, tf.int32)
    pairs = tf.minimum(valid, columns)
    pairs = tf.where(top_k < 0, pairs, tf.minimum(pairs, top_k))

    def step(count: Any, column_of_row: Any, row_of_column: Any) -> Any:
        free = ((column_of_row < 0) & (tf.range(rows) < valid))[:, tf.newaxis] & (row_of_column < 0)
        best = tf.argmin(tf.reshape(tf.where(free, distances, distances.dtype.max), [-1]),
                         output_type=tf.int32)
        row, column = best // columns, best % columns
        return (count + 1,
                tf.where(tf.equal(tf.range(rows), row), column, column_of_row),
                tf.where(tf.equal(tf.range(columns), column), row, row_of_column))

    with tf.name_scope(name or "bipartite_match"):
        _, column_of_row, row_of_column = tf.while_loop(
            lambda count, *_: count < pairs, step, (0, tf.fill([rows], -1), tf.fill([columns], -1)),
            shape_invariants=(tf.TensorShape([]), distances.shape[:1], distances.shape[1:]))
    return column_of_row, row_of_column
