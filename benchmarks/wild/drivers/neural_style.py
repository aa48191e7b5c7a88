"""anishathalye/neural-style: a picture in the style of another one, a small network in VGG-19's place."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, vgg19_layers

REPOSITORY = "https://github.com/anishathalye/neural-style"
COMMIT = "d0a114879c1c69086e5f812f3432be634e29db5e"

_AHEAD = """
import random, time, numpy
random.seed(1)
numpy.random.seed(1)
time.time = lambda: 0.0
"""


@carried
def data(w):
    import scipy.io

    draw = np.random.RandomState(0)
    layers = vgg19_layers(draw)
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
