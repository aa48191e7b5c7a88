"""hellochick/semantic-segmentation-tensorflow: four networks that divide a picture."""

from __future__ import annotations

import numpy as np
from kit import carried, picture

REPOSITORY = "https://github.com/hellochick/semantic-segmentation-tensorflow"
COMMIT = "204042396ac1cc39a557f7520cfc182e503e6649"

# What SciPy had until 1.2, and NumPy until 1.16; the migrated tree has its own.
_ONCE = """
import sys, scipy.misc
if sys.version_info < (3, 8):
    import functools, numpy
    from PIL import Image
    def bytescale(data):
        low, high = data.min(), data.max()
        return (((data - low) * (255.0 / ((high - low) or 1))).clip(0, 255) + 0.5).astype(numpy.uint8)
    scipy.misc.imsave = lambda path, data: Image.fromarray(bytescale(data)).save(path)
    scipy.misc.imread = lambda path, mode: numpy.array(Image.open(path).convert(mode))
    numpy.load = functools.partial(numpy.load, allow_pickle=True)
"""


@carried
def data(w):
    """A picture, and files with weights of some layers: the others stay as they begin."""
    picture("some.png", 120, 160, seed=2)
    draw = np.random.RandomState(0)
    layers = {
        "fcn": {"conv1_1": {"weights": (3, 3, 3, 64), "biases": (64,)}},
        "pspnet50": {"conv1_1_3x3_s2": {"weights": (3, 3, 3, 64)}, "conv6": {"biases": (150,)}},
        "cityscapes/icnet": {"conv1_1_3x3_s2": {"weights": (3, 3, 3, 32)}, "conv6_cls": {"biases": (19,)}},
    }
    for name, shapes in layers.items():
        weights = {layer: {kind: draw.normal(0, 0.1, shape).astype("f") for kind, shape in given.items()}
                   for layer, given in shapes.items()}
        np.save(f"model/{name}.npy", weights)


def small(w):
    _divide(w, "enet")


def cascade(w):
    _divide(w, "icnet", [("ICNet()", "ICNet(input_size=[256, 512])")])


def pyramid(w):
    _divide(w, "pspnet")


def full(w):
    _divide(w, "fcn", [("FCN8s()", "FCN8s(input_size=[64, 64])")])


def _divide(w, model, instead=()):
    w.script("inference.py", "--img-path=some.png", f"--model={model}", "--save-dir=found/", ahead=_ONCE,
             instead=instead)
