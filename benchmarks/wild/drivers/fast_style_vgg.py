"""hwalsuklee/tensorflow-fast-style-transfer: a style is learnt, goes on, and is put on a picture."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, settings, vgg19_layers

REPOSITORY = "https://github.com/hwalsuklee/tensorflow-fast-style-transfer"
COMMIT = "50438ad8b620af7d45ab8c4e050a7044d68ebe46"

# What SciPy had; a folder lists its files in some order; versions of Pillow write other JPEGs.
_AHEAD = """
import os
import numpy as np
import scipy
from PIL import Image
try:
    scipy.misc.imread
except AttributeError:
    import sys, types
    scipy.misc = sys.modules['scipy.misc'] = types.ModuleType('scipy.misc')
    scipy.misc.imread = lambda path, mode=None: np.asarray(Image.open(path).convert(mode))
    scipy.misc.imresize = lambda image, size: np.asarray(Image.fromarray(image).resize(size[1::-1], 2))
import utils
files = utils.list_files
utils.list_files = lambda folder: sorted(files(folder))
utils.save_image = lambda image, path: Image.fromarray(
    np.clip(image, 0, 255).astype(np.uint8)).save(path + '.png')
"""
# The size of the real weights.
_FILE = [("abs(size_in_KB - 534904783) < 10", "True")]
_TRAIN = ("--vgg_model=vgg", "--trainDB_path=photos", "--style=seen/style.png", "--batch_size=2",
          "--learn_rate=1e-5", "--checkpoint_every=2", "--test=seen/content.png")  # fmt: skip


@carried
def data(w):
    import scipy.io
    from PIL import Image

    draw = np.random.RandomState(0)
    layers = vgg19_layers(draw, name="layer", pad=np.zeros(1))
    os.makedirs("vgg")
    scipy.io.savemat("vgg/imagenet-vgg-verydeep-19.mat", {"layers": layers})
    for folder in ("photos", "seen"):
        os.makedirs(folder)
    for name in ("photos/0", "photos/1", "photos/2", "photos/3", "photos/4", "seen/style", "seen/content"):
        # without areas of one colour, whose norms and largest values rounding decides
        Image.fromarray(draw.randint(0, 255, [48, 64, 3]).astype(np.uint8)).save(f"{name}.png")


@settings(timeout=1800)
def train(w):
    w.script("run_train.py", *_TRAIN, "--output=models", "--num_epochs=1", ahead=_AHEAD, instead=_FILE)


@settings(timeout=1800)
def go_on(w):
    w.script("run_train.py", *_TRAIN, "--output=models", "--num_epochs=2", ahead=_AHEAD, instead=_FILE)


@settings(timeout=900)
def transfer(w):
    w.script("run_test.py", "--style_model=models/final.ckpt", "--content=seen/content.png",
             "--output=styled.jpg", "--max_size=60", ahead=_AHEAD + "import time; time.time = lambda: 0.0")
