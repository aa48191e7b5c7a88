"""taki0112/StarGAN-Tensorflow: faces with other attributes; trained some steps, gone on with, tested."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/taki0112/StarGAN-Tensorflow"
COMMIT = "277bfc3323461ad674dbffd067065d442787a542"

_NAMES = "Black_Hair Blond_Hair Brown_Hair Male Young"
# What prefetches to a GPU has none here.
_AHEAD = """
import time, random, numpy, tensorflow as tf
random.seed(1)
numpy.random.seed(1)
if tf.__version__.startswith('1.'):
    import tensorflow.contrib.data as prefetching
else:
    import tensorflow.data.experimental as prefetching
prefetching.prefetch_to_device = lambda device, buffer_size=None: lambda dataset: dataset
time.time = lambda: 0.0
"""
# What SciPy had for pictures before 1.3.
_PICTURES = """
import numpy, scipy.misc
from PIL import Image
def scaled(data):
    data = numpy.asarray(data)
    if data.dtype == numpy.uint8:
        return data
    low, high = data.min(), data.max()
    return (((data - low) * (255.0 / ((high - low) or 1))).clip(0, 255) + 0.5).astype(numpy.uint8)
if tf.__version__.startswith('1.'):
    scipy.misc.imsave = lambda path, data: Image.fromarray(scaled(data)).save(path)
    scipy.misc.imread = lambda path, mode: numpy.array(Image.open(path).convert(mode))
    scipy.misc.imresize = lambda data, size: numpy.array(
        Image.fromarray(data).resize((size[1], size[0]), resample=2))
"""
_SMALL = ("--img_size=16", "--ch=4", "--n_res=1", "--n_dis=3", "--batch_size=2", "--epoch=2",
          "--print_freq=2", "--save_freq=2", "--n_critic=2", "--decay_epoch=1")  # fmt: skip


@carried
def data(w):
    draw = np.random.RandomState(0)
    lines = ["2008", _NAMES]  # the first 2,000 are for the test
    for i in range(2008):
        lines.append(f"{i % 8}.jpg " + " ".join(draw.choice(["1", "-1"], 5)))
    for i in range(8):
        picture(f"dataset/celebA/train/{i}.jpg", 20, 20, i)
    picture("dataset/celebA/test/one.png", 20, 20, 20)
    write("dataset/celebA/list_attr_celeba.txt", "\n".join(lines) + "\n")


def _run(w, phase, *flags):
    w.script("main.py", f"--phase={phase}", *_SMALL, *flags, ahead=_AHEAD + _PICTURES)


@settings(timeout=900)
def train(w):
    _run(w, "train", "--iteration=2")


@settings(timeout=900)
def go_on(w):
    _run(w, "train", "--iteration=4")


@settings(timeout=900)
def test(w):
    _run(w, "test")


@settings(timeout=900)
def least_squares(w):
    _run(w, "train", "--iteration=2", "--gan_type=lsgan", "--augment_flag=false")


@settings(timeout=900)
def noisy(w):
    _run(w, "train", "--iteration=2", "--gan_type=dragan")
