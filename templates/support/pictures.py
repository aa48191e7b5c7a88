"""Pictures as imageio wrote them, which made bytes of whatever numbers it was given until it was 2.28."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

_BYTES = (".png", ".jpg", ".jpeg", ".bmp", ".gif")


def as_bytes(image: Any, path: Any = _BYTES[0]) -> Any:
    """The uint8 picture of an array: of numbers from 0 to 1 their part of 255, of 16 bits the upper 8, of
    others what lies between the smallest and the largest.

    Args:
        path: Where it is written to: only files of bytes have such pictures.

    Raises:
        ValueError: a number is infinite.
    """
    image = np.asarray(image)
    kept = np.uint16 if image.ndim == 2 and str(path).lower().endswith(".png") else np.uint8
    if image.dtype in (np.uint8, kept) or not str(path).lower().endswith(_BYTES):
        return image
    if image.dtype == bool:
        return image.astype(np.uint8) * np.uint8(255)
    if image.dtype in (np.uint16, np.uint32, np.uint64):
        return (image >> (8 * image.dtype.itemsize - 8)).astype(np.uint8)
    low, high = np.nanmin(image), np.nanmax(image)
    if not np.isfinite([low, high]).all():
        raise ValueError("a picture has finite numbers")
    if not (image.dtype.kind == "f" and low >= 0 and high <= 1):
        if low == high:
            return image.astype(np.uint8)
        image = (image.astype(np.float64) - low) / (high - low)
    return (image.astype(np.float64) * 255 + 0.499999999).astype(np.uint8)


def each_as_bytes(images: Iterable[Any]) -> list[Any]:
    """The pictures of a film."""
    return [as_bytes(image, ".gif") for image in images]


__all__ = ["as_bytes", "each_as_bytes"]
