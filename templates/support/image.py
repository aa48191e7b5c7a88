"""Those functions of TF 1's tf.image whose TF 2 namesakes compute something else.

`tf.image.resize` samples at half-pixel centres and has no `align_corners`; TF 1's resizing is what
the kernels do when told not to, so it is reached through `tf.raw_ops`.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf


class ResizeMethod:
    """TF 1's numbers for methods of interpolation."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def resize_bilinear(images: Any, size: Any, align_corners: bool = False, name: str | None = None,
                    half_pixel_centers: bool = False) -> tf.Tensor:
    """Bilinear interpolation of [batch, height, width, channels] to `size`; gives float32 (or the
    floating dtype of the images, if they have more than half precision)."""
    return tf.raw_ops.ResizeBilinear(images=images, size=size, align_corners=align_corners,
                                     half_pixel_centers=half_pixel_centers, name=name)


def resize_nearest_neighbor(images: Any, size: Any, align_corners: bool = False,
                            name: str | None = None,
                            half_pixel_centers: bool = False) -> tf.Tensor:
    """The nearest pixels of [batch, height, width, channels] at `size`; keeps the dtype."""
    return tf.raw_ops.ResizeNearestNeighbor(images=images, size=size, align_corners=align_corners,
                                            half_pixel_centers=half_pixel_centers, name=name)


def resize_bicubic(images: Any, size: Any, align_corners: bool = False, name: str | None = None,
                   half_pixel_centers: bool = False) -> tf.Tensor:
    """Bicubic interpolation of [batch, height, width, channels] to `size`; gives float32."""
    return tf.raw_ops.ResizeBicubic(images=images, size=size, align_corners=align_corners,
                                    half_pixel_centers=half_pixel_centers, name=name)


def resize_area(images: Any, size: Any, align_corners: bool = False,
                name: str | None = None) -> tf.Tensor:
    """Averages over areas of [batch, height, width, channels], to `size`; gives float32."""
    return tf.raw_ops.ResizeArea(images=images, size=size, align_corners=align_corners, name=name)


def _resizer(method: Any) -> Callable[..., tf.Tensor]:
    resizers = {ResizeMethod.BILINEAR: resize_bilinear, "bilinear": resize_bilinear,
                ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
                "nearest": resize_nearest_neighbor,
                ResizeMethod.BICUBIC: resize_bicubic, "bicubic": resize_bicubic,
                ResizeMethod.AREA: resize_area, "area": resize_area}
    if method not in resizers:
        raise ValueError(f"unknown resize method {method!r}; TF 1 had {list(resizers)}")
    return resizers[method]


def _batched(images: Any) -> tuple[tf.Tensor, bool]:
    """[height, width, channels] or a batch of it as a batch; and whether it was one."""
    images = tf.convert_to_tensor(images)
    if images.shape.rank == 3:
        return images[tf.newaxis], False
    if images.shape.rank == 4:
        return images, True
    raise ValueError(f"images must have 3 or 4 dimensions, not the shape {images.shape}")


def _within(height: Any, width: Any, size: tf.Tensor) -> tf.Tensor:
    """The largest size of the proportions of height and width within `size`."""
    present = tf.stack([tf.cast(height, tf.float32), tf.cast(width, tf.float32)])
    scale = tf.reduce_min(tf.cast(size, tf.float32) / present)
    return tf.cast(tf.round(scale * present), tf.int32)


def resize_images(images: Any, size: Any, method: Any = ResizeMethod.BILINEAR,
                  align_corners: bool = False, preserve_aspect_ratio: bool = False,
                  name: str | None = None) -> tf.Tensor:
    """Resizes one image or a batch, as TF 1's `tf.image.resize_images`.

    All methods but nearest neighbour give floats; only images that are known to have a constant
    `size` already are given back as they are, in their own dtype.

    Args:
        images: [height, width, channels] or [batch, height, width, channels].
        size: The new height and width.
        method: One of `ResizeMethod`, or TF 2's name for it.
        preserve_aspect_ratio: Take `size` as what must not be exceeded.

    Raises:
        ValueError: another number of dimensions, a `size` that is not two numbers, or an unknown
            method.
    """
    resizer = _resizer(method)
    images, is_batch = _batched(images)
    computed = tf.is_tensor(size) or any(tf.is_tensor(n) for n in size)
    constant = None if computed or preserve_aspect_ratio else [int(n) for n in size]
    size = tf.convert_to_tensor(size, tf.int32)
    if not size.shape.is_compatible_with([2]):
        raise ValueError(f"size must be two numbers, not of shape {size.shape}")
    if preserve_aspect_ratio:
        height, width = tf.unstack(tf.shape(images)[1:3])
        size = _within(height, width, size)
    if constant is not None and images.shape[1:3].as_list() == constant:
        resized = images
    else:
        resized = resizer(images, size, align_corners, name=name)
    return resized if is_batch else tf.squeeze(resized, 0)


def resize_image_with_pad(image: Any, target_height: int, target_width: int,
                          method: Any = ResizeMethod.BILINEAR,
                          align_corners: bool = False) -> tf.Tensor:
    """Resizes to fit within the target in the image's proportions, and pads with zeros around it.

    Args:
        image: [height, width, channels] or a batch of it.
    """
    image, is_batch = _batched(image)
    height, width = (tf.cast(n, tf.float32) for n in tf.unstack(tf.shape(image)[1:3]))
    ratio = tf.maximum(width / target_width, height / target_height)
    size = tf.cast(tf.stack([tf.floor(height / ratio), tf.floor(width / ratio)]), tf.int32)
    left_over = tf.cast(tf.stack([target_height, target_width]), tf.float32) - tf.stack(
        [height / ratio, width / ratio])
    before = tf.maximum(0, tf.cast(tf.floor(left_over / 2), tf.int32))
    resized = resize_images(image, size, method, align_corners)
    padded = tf.image.pad_to_bounding_box(resized, before[0], before[1], target_height,
                                          target_width)
    return padded if is_batch else tf.squeeze(padded, 0)


def draw_bounding_boxes(images: Any, boxes: Any, name: str | None = None,
                        colors: Any = None) -> tf.Tensor:
    """Boxes drawn onto a batch of images, in the kernel's own colours unless some are given."""
    if colors is None:
        return tf.raw_ops.DrawBoundingBoxes(images=images, boxes=boxes, name=name)
    return tf.image.draw_bounding_boxes(images, boxes, colors, name)


def sample_distorted_bounding_box(image_size: Any, bounding_boxes: Any, seed: int | None = None,
                                  seed2: int | None = None, min_object_covered: Any = 0.1,
                                  aspect_ratio_range: Any = None, area_range: Any = None,
                                  max_attempts: int | None = None,
                                  use_image_if_no_bounding_boxes: bool | None = None,
                                  name: str | None = None) -> Any:
    """A random crop (begin, size, box) that covers enough of some box; TF 1's argument order."""
    return tf.image.sample_distorted_bounding_box(
        image_size, bounding_boxes, seed=seed or 0, min_object_covered=min_object_covered,
        aspect_ratio_range=aspect_ratio_range, area_range=area_range, max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes, name=name)


def extract_glimpse(input: Any, size: Any, offsets: Any, centered: bool = True,
                    normalized: bool = True, uniform_noise: bool = True,
                    name: str | None = None) -> tf.Tensor:
    """Windows of `size` around `offsets`, with TF 1's placement of the centre (off by half)."""
    return tf.raw_ops.ExtractGlimpse(input=input, size=size, offsets=offsets, centered=centered,
                                     normalized=normalized, uniform_noise=uniform_noise, name=name)
