"""lengstrom/fast-style-transfer: a style learnt of one picture, with a small network in VGG-19's place."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/lengstrom/fast-style-transfer"
COMMIT = "0d3d981f7ab948253d355585bdbdfa914247b4d0"

# Its authors ran it on TensorFlow 2 as well, where dimensions are numbers.
_NUMBERS = """
import tensorflow
if tensorflow.__version__.startswith('1.'):
    tensorflow.compat.v1.enable_v2_tensorshape()
"""
# The package for videos is not needed for pictures.
_AHEAD = _NUMBERS + """
import sys, types, random, numpy, tensorflow
for name in ('moviepy', 'moviepy.video', 'moviepy.video.io', 'moviepy.video.io.VideoFileClip',
             'moviepy.video.io.ffmpeg_writer'):
    sys.modules[name] = types.ModuleType(name)
sys.modules['moviepy.video.io.VideoFileClip'].VideoFileClip = None
random.seed(1)
numpy.random.seed(1)
"""
_LAYERS = (
    "conv1_1 relu1_1 conv1_2 relu1_2 pool1 conv2_1 relu2_1 conv2_2 relu2_2 pool2 conv3_1 relu3_1 conv3_2 "
    "relu3_2 conv3_3 relu3_3 conv3_4 relu3_4 pool3 conv4_1 relu4_1 conv4_2 relu4_2 conv4_3 relu4_3 conv4_4 "
    "relu4_4 pool4 conv5_1 relu5_1 conv5_2 relu5_2 conv5_3 relu5_3 conv5_4 relu5_4"
).split()


@carried
def data(w):
    import scipy.io

    draw = np.random.RandomState(0)
    layers, depth = np.empty((1, len(_LAYERS)), object), 3
    for i, name in enumerate(_LAYERS):
        width = 4 * int(name[4]) if name.startswith("conv") else depth
        kernel = draw.normal(0, (2 / 9 / depth) ** 0.5, (3, 3, depth, width)).astype("f")
        weights = np.empty((1, 2), object)
        weights[0, 0], weights[0, 1] = kernel, draw.normal(0, 0.1, (1, width)).astype("f")
        layer = np.empty((1, 1), [("weights", object)])
        layer[0, 0]["weights"] = weights
        layers[0, i] = layer
        depth = width
    mean = np.empty((1, 1), [("averageImage", object)])
    mean[0, 0]["averageImage"] = np.full((4, 4, 3), 120.0)
    scipy.io.savemat("vgg.mat", {"normalization": mean, "layers": layers})
    for i in range(4):  # not as JPEG: its decoders differ
        picture(f"train/{i}.png", 256, 256, i)
    picture("style.png", 96, 80, 7)
    picture("test.png", 64, 64, 8)
    picture("several/a.png", 64, 64, 9)
    picture("several/b.png", 32, 64, 10)
    for folder in ("kept", "shown", "out"):
        os.makedirs(folder, exist_ok=True)
        write(f"{folder}/.keep", "")


_STYLE = ("--style=style.png", "--vgg-path=vgg.mat", "--batch-size=2", "--epochs=1",
          "--checkpoint-iterations=1")  # fmt: skip


@settings(timeout=900)
def train(w):
    w.script("style.py", *_STYLE, "--checkpoint-dir=kept", "--train-path=train", "--test=test.png",
             "--test-dir=shown", ahead=_AHEAD)  # fmt: skip


def transfer(w):
    w.script("evaluate.py", "--checkpoint=kept", "--in-path=test.png", "--out-path=out/test.png",
             ahead=_AHEAD)  # fmt: skip


def transfer_several(w):
    w.script("evaluate.py", "--checkpoint=kept", "--in-path=several", "--out-path=out",
             "--allow-different-dimensions", "--batch-size=1", "--device=/cpu:0", ahead=_AHEAD)  # fmt: skip


@settings(timeout=900)
def optimize_slowly(w):
    """The way that trains the picture itself."""
    import sys

    exec(_NUMBERS)
    sys.path.insert(0, "src")
    from optimize import optimize
    from utils import get_img

    steps = optimize(["test.png"], get_img("style.png"), 7.5, 1e2, 2e2, "vgg.mat", epochs=3,
                     print_iterations=1, batch_size=1, slow=True, learning_rate=10.0)  # fmt: skip
    for preds, losses, _, epoch in steps:
        w.dump(**{f"preds{epoch}": preds, f"losses{epoch}": losses})
