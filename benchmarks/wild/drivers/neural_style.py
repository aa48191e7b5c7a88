"""anishathalye/neural-style: a picture in the style of another one, a small network in VGG-19's place."""

from __future__ import annotations

import numpy as np
from kit import carried, picture

REPOSITORY = "https://github.com/anishathalye/neural-style"
COMMIT = "d0a114879c1c69086e5f812f3432be634e29db5e"

_AHEAD = """
import random, time, numpy
random.seed(1)
numpy.random.seed(1)
time.time = lambda: 0.0
"""
_WIDTHS = {1: 2, 2: 2, 3: 4, 4: 4, 5: 4}  # blocks -> how many convolutions


@carried
def data(w):
    import scipy.io

    draw = np.random.RandomState(0)
    kinds = [kind for block, count in _WIDTHS.items()
             for kind in [(block, True), (block, False)] * count + [(0, False)]][:-1]  # fmt: skip
    layers, depth = np.empty((1, len(kinds)), object), 3
    for i, (block, convolves) in enumerate(kinds):
        weights = np.empty((1, 2), object)
        weights[0, 0], weights[0, 1] = np.zeros((1, 1)), np.zeros((1, 1))
        if convolves:
            width = 4 * block
            weights[0, 0] = draw.normal(0, (2 / 9 / depth) ** 0.5, (3, 3, depth, width)).astype("f")
            weights[0, 1] = draw.normal(0, 0.1, (1, width)).astype("f")
            depth = width
        layer = np.empty((1, 1), [("weights", object)])
        layer[0, 0]["weights"] = weights
        layers[0, i] = layer
    mean = np.empty((1, 1), [("averageImage", object)])
    mean[0, 0]["averageImage"] = np.full((4, 4, 3), 120.0)
    scipy.io.savemat("vgg.mat", {"normalization": mean, "layers": layers})
    picture("content.png", 48, 64, 1)
    picture("style.png", 64, 48, 2)
    picture("other.png", 48, 48, 3)
    picture("begin.png", 48, 64, 4)  # as large as the content: versions of Pillow round differently


def _run(w, output, *flags):
    w.script("neural_style.py", "--content=content.png", f"--output={output}.png", "--network=vgg.mat",
             "--iterations=4", "--print-iterations=1", *flags, ahead=_AHEAD)  # fmt: skip


def style(w):
    _run(w, "styled", "--styles", "style.png")


def styles(w):
    _run(w, "mixed", "--styles", "style.png", "other.png", "--style-blend-weights", "2", "1", "--pooling=avg",
         "--preserve-colors", "--checkpoint-iterations=2", "--checkpoint-output=kept_{}.png")  # fmt: skip


def begun(w):
    _run(w, "begun", "--styles", "style.png", "--initial=begin.png", "--initial-noiseblend=0.3")
