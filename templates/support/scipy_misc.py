"""The image functions of scipy.misc, which scipy 1.2 and 1.3 removed: they scale values to 0..255."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from PIL import Image

_FILTERS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}


def bytescale(
    data: Any, cmin: float | None = None, cmax: float | None = None, high: int = 255, low: int = 0
) -> np.ndarray:
    """Values from `cmin` to `cmax` (default: the smallest and largest) spread over low..high.

    uint8 arrays are returned as they are. Raises ValueError for empty ranges.
    """
    data = np.asarray(data)
    if data.dtype == np.uint8:
        return data
    if high > 255 or low < 0 or high < low:
        raise ValueError("`low` and `high` should be between 0 and 255, and in order.")
    cmin = data.min() if cmin is None else cmin
    cmax = data.max() if cmax is None else cmax
    if cmax < cmin:
        raise ValueError("`cmax` should be larger than `cmin`.")
    scaled = (data - cmin) * (float(high - low) / ((cmax - cmin) or 1)) + low
    return (scaled.clip(low, high) + 0.5).astype(np.uint8)


def toimage(
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: float | None = None,
    cmax: float | None = None,
    pal: Any = None,
    mode: str | None = None,
    channel_axis: int | None = None,
) -> Image.Image:
    """An image of [height, width] or, with 3 or 4 channels on some axis, of a color array.

    Raises ValueError for other shapes.
    """
    data = np.asarray(arr)
    if np.iscomplexobj(data):
        raise ValueError("Cannot convert a complex-valued array.")
    if data.ndim == 2:
        if mode == "F":
            return Image.fromarray(data.astype(np.float32))
        if mode == "I":
            return Image.fromarray(data.astype(np.int32))
        image = Image.fromarray(bytescale(data, cmin, cmax, high, low))
        if pal is not None:
            image.putpalette(np.asarray(pal, np.uint8).tobytes())
        elif mode == "P":
            image.putpalette(np.repeat(np.arange(256, dtype=np.uint8), 3).tobytes())
        return image.convert(mode) if mode in ("1", "RGB") else image
    axes = [i for i, n in enumerate(data.shape) if n in (3, 4)] if channel_axis is None else [
        channel_axis
    ]
    if data.ndim != 3 or not axes:
        raise ValueError("'arr' does not have a suitable array shape for any mode.")
    axis = axes[0] if 3 not in data.shape or channel_axis is not None else data.shape.index(3)
    values = np.moveaxis(bytescale(data, cmin, cmax, high, low), axis, 2)
    names = {3: ("RGB", "YCbCr"), 4: ("RGBA", "CMYK")}[values.shape[2]]
    if mode is not None and mode not in names:
        raise ValueError(f"Invalid mode {mode} for an array with {values.shape[2]} channels.")
    return Image.frombytes(
        mode or names[0], (values.shape[1], values.shape[0]), np.ascontiguousarray(values).tobytes()
    )


def fromimage(im: Image.Image, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    """The values of an image; `flatten` makes them gray float32."""
    if mode is not None and mode != im.mode:
        im = im.convert(mode)
    elif im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im)


def imread(name: str | os.PathLike[str], flatten: bool = False, mode: str | None = None) -> Any:
    """The values of an image file."""
    with Image.open(name) as image:
        return fromimage(image, flatten, mode)


def imsave(name: str | os.PathLike[str], arr: Any, format: str | None = None) -> None:
    """Writes an array as an image, scaled to 0..255 unless it is uint8."""
    toimage(arr, channel_axis=2 if np.ndim(arr) == 3 else None).save(name, format)


def imresize(arr: Any, size: Any, interp: str = "bilinear", mode: str | None = None) -> np.ndarray:
    """Resizes to (height, width), to a percentage (an int) or by a factor (a float)."""
    image = toimage(arr, mode=mode)
    if isinstance(size, (int, np.integer)):
        target = tuple((np.array(image.size) * (size / 100.0)).astype(int))
    elif isinstance(size, (float, np.floating)):
        target = tuple((np.array(image.size) * size).astype(int))
    else:
        target = (int(size[1]), int(size[0]))
    return fromimage(image.resize(target, resample=_FILTERS[interp]))


def imrotate(arr: Any, angle: float, interp: str = "bilinear") -> np.ndarray:
    """Rotates counter-clockwise by degrees, keeping the size."""
    return fromimage(toimage(arr).rotate(angle, resample=_FILTERS[interp]))
