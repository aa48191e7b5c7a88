"""simo23/tinyYOLOv2: darknet's weights into a checkpoint, and detection with them."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings

REPOSITORY = "https://github.com/simo23/tinyYOLOv2"
COMMIT = "4dff0517198d1752d62b9da640a1f3ddb9819048"

# OpenCV's letters change with its version, and its JPEG.
_SHOWN = """
import cv2
write = cv2.imwrite
cv2.putText = lambda image, words, *rest, **keywords: print(words)
cv2.imwrite = lambda path, image: write(path.replace('.jpg', '.png'), image)
"""
_LOW = [("score_threshold = 0.3", "score_threshold = 0.15")]


@carried
def data(w):
    picture("horses.jpg", 200, 220)
    random, wide, parts = np.random.RandomState(0), 3, [np.zeros(4)]
    for width in (16, 32, 64, 128, 256, 512, 1024, 1024):
        parts += [random.normal(0, 0.1, width), random.uniform(0.8, 1.2, width), random.normal(0, 0.1, width),
                  random.uniform(0.5, 1.0, width),
                  random.normal(0, 0.8 / (wide * 4.5) ** 0.5, 9 * wide * width)]  # fmt: skip
        wide = width
    parts += [random.normal(0, 0.3, 125), random.normal(0, 0.05, wide * 125)]
    np.concatenate(parts).astype("f").tofile("tiny-yolo-voc.weights")


@settings(timeout=600)
def convert(w):
    w.script("test.py", ahead=_SHOWN, instead=_LOW)


@settings(timeout=600)
def detect(w):
    w.script("test.py", ahead=_SHOWN, instead=_LOW)
