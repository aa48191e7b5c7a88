"""Pillow functions as they were when TF 1 programs were written."""
from __future__ import annotations

from typing import Any

import numpy as np
import PIL.Image

_MOST_DIMENSIONS = {"1": 2, "L": 2, "I": 2, "P": 2, "F": 2, "RGB": 3}


def fromarray(obj: Any, mode: str) -> PIL.Image.Image:
    """The image whose pixels are the bytes of an array, whatever its dtype, read as `mode`.

    Since Pillow 11.3 a mode must fit the dtype; before, the array's memory was taken as it was.

    Args:
        obj: [height, width] or [height, width, channels].

    Raises:
        ValueError: too many dimensions for the mode, or too few bytes.
    """
    array = np.asarray(obj)
    if array.ndim > _MOST_DIMENSIONS.get(mode, 4):
        raise ValueError(f"Too many dimensions: {array.ndim} > {_MOST_DIMENSIONS.get(mode, 4)}.")
    size = (1 if array.ndim == 1 else array.shape[1], array.shape[0])
    return PIL.Image.frombuffer(mode, size, array.tobytes(), "raw", mode, 0, 1)
