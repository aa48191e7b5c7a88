"""machrisaa/tensorflow-vgg: classifies two pictures with weights from a file, trains one step, saves."""

from __future__ import annotations

import numpy as np
from kit import carried

REPOSITORY = "https://github.com/machrisaa/tensorflow-vgg"
COMMIT = "dcc2449a07201fb4ac99a98dc7bb95915322306c"

# Weights are pickled, which numpy reads when it is told to; pictures are read by scikit-image.
_AHEAD = """
import sys, types
import numpy
load = numpy.load
numpy.load = lambda *a, **k: load(*a, **dict(k, allow_pickle=True))
skimage = sys.modules['skimage'] = types.ModuleType('skimage')
skimage.io = sys.modules['skimage.io'] = types.ModuleType('skimage.io')
skimage.transform = sys.modules['skimage.transform'] = types.ModuleType('skimage.transform')
skimage.io.imread = lambda path: numpy.random.RandomState(len(path)).randint(0, 256, (250, 300, 3))
skimage.transform.resize = lambda image, size: image[
    numpy.arange(size[0]) * image.shape[0] // size[0]][:, numpy.arange(size[1]) * image.shape[1] // size[1]]
"""
_LAYERS = {16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


@carried
def weights(w):
    for depth, blocks in _LAYERS.items():
        draw = np.random.RandomState(depth)
        found, channels = {}, 3
        for block, count in enumerate(blocks, 1):
            for layer in range(1, count + 1):
                found[f"conv{block}_{layer}"] = [
                    draw.normal(0, 0.2, (3, 3, channels, 6)).astype(np.float32),
                    draw.normal(0, 0.1, 6).astype(np.float32)]
                channels = 6
        for name, size in (("fc6", (294, 4096)), ("fc7", (4096, 64)), ("fc8", (64, 1000))):
            found[name] = [draw.normal(0, 0.05, size).astype(np.float32),
                           draw.normal(0, 0.1, size[1]).astype(np.float32)]
        np.save(f"vgg{depth}.npy", found)


def classify16(w):
    w.script("test_vgg16.py", ahead=_AHEAD)


def classify19(w):
    w.script("test_vgg19.py", ahead=_AHEAD)


# The trainable network has its sizes in its text.
_SMALL = _AHEAD + """
with open('vgg19_trainable.py') as stream:
    said = stream.read()
for old, new in (('25088, 4096', '6272, 64'), ('4096, 4096', '64, 64'), ('4096, 1000', '64, 1000'),
                 ('512, 512', '128, 128'), ('256, 512', '128, 128'), ('256, 256', '128, 128'),
                 ('128, 256', '128, 128')):
    assert old in said
    said = said.replace(old, new)
small = sys.modules['vgg19_trainable'] = types.ModuleType('vgg19_trainable')
exec(compile(said, 'vgg19_trainable.py', 'exec'), vars(small))
"""
_NEW = [("Vgg19('./vgg19.npy')", "Vgg19()")]


def train(w):
    w.script("test_vgg19_trainable.py", ahead=_SMALL, instead=_NEW)


def train_twice(w):
    """What was saved is loaded again."""
    w.script("test_vgg19_trainable.py", ahead=_SMALL, instead=_NEW)
    w.script("test_vgg19_trainable.py", ahead=_SMALL, instead=[("./vgg19.npy", "./test-save.npy")])
