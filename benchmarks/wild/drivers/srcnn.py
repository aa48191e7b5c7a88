"""tegg89/SRCNN-Tensorflow: sharpens pictures; trains on pieces of its own ones, goes on, and tests."""

from __future__ import annotations

REPOSITORY = "https://github.com/tegg89/SRCNN-Tensorflow"
COMMIT = "78be1a24697935fc39a3a8cf59a6632264afade7"

# It saves and prints more often than it says, and finds its files in the order of their names.
_AHEAD = """
import glob, sys, time, matplotlib
from importlib.machinery import SourceFileLoader
matplotlib.use('Agg')
time.time = lambda: 0.0
found = glob.glob
glob.glob = lambda pattern: sorted(found(pattern))
sys.dont_write_bytecode = True
read = SourceFileLoader.get_data
SourceFileLoader.get_data = lambda self, path: read(self, path).replace(
    b'counter % 500', b'counter % 6').replace(b'counter % 10 ', b'counter % 2 ')
"""
# What SciPy had.
_SCIPY = """
import numpy, scipy.misc
from PIL import Image
def scaled(image):
    low, high = image.min(), image.max()
    return ((image - low) * (255.0 / (high - low)) + 0.5).astype(numpy.uint8)
scipy.misc.imread = lambda path, flatten, mode: numpy.array(Image.open(path).convert(mode).convert('F'))
scipy.misc.imsave = lambda path, image: Image.fromarray(scaled(image)).save(path)
"""


def _run(w, *flags):
    w.script("main.py", *flags, ahead=_AHEAD if w.after else _SCIPY + _AHEAD)


def train(w):
    _run(w, "--epoch=2", "--stride=90", "--batch_size=32")


def go_on(w):
    _run(w, "--epoch=2", "--stride=80", "--batch_size=32")


def test(w):
    _run(w, "--is_train=False", "--stride=21")
