"""Made-up digits in the files that MNIST comes in."""

from __future__ import annotations

import gzip
import os

import numpy as np


def write_digits(folder: str) -> None:
    """Writes 5,600 pictures for training and 300 for tests, 28 × 28: noise, and stripes whose places
    tell the class."""
    os.makedirs(folder, exist_ok=True)
    draw = np.random.RandomState(0)
    for name, count in (("train", 5600), ("t10k", 300)):
        labels = draw.randint(0, 10, count).astype(np.uint8)
        images = draw.randint(0, 60, (count, 28, 28)).astype(np.uint8)
        images[np.arange(count), labels * 2 + 3] = 220
        for kind, array, head in (("labels-idx1", labels, [2049, count]),
                                  ("images-idx3", images, [2051, count, 28, 28])):  # fmt: skip
            with gzip.open(os.path.join(folder, f"{name}-{kind}-ubyte.gz"), "wb") as stream:
                stream.write(np.array(head, ">u4").tobytes() + array.tobytes())
