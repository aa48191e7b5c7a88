"""MG2033/ShuffleNet: trains, goes on from a checkpoint, and tests."""

from __future__ import annotations

import json
import os
import pickle

import numpy as np
from kit import carried, picture, write

REPOSITORY = "https://github.com/MG2033/ShuffleNet"
COMMIT = "b686a2d92e1636c3bdbaec006664a1502ead2040"

# A bar is drawn with clocks; TensorFlow 1's profiler says in C++ that it begins. The checks of
# numbers are refused beside the conditions of batch normalizations.
_AHEAD = """
import tensorflow as tf
tf.add_check_numerics_ops = tf.compat.v1.add_check_numerics_ops = lambda: None
import ctypes, os, sys, tempfile
def without_first_line(profile):
    def profiled(*args, **options):
        sys.stdout.flush()
        kept, said = os.dup(1), tempfile.TemporaryFile()
        os.dup2(said.fileno(), 1)
        profile(*args, **options)
        ctypes.CDLL(None).fflush(None)
        os.dup2(kept, 1)
        said.seek(0)
        print(said.read().decode().replace('Parsing Inputs...\\n', ''), end='')
    return profiled
if sys.version_info < (3, 8):
    tf.profiler.profile = without_first_line(tf.profiler.profile)
import tqdm
class Bar:
    def __init__(self, items, **k):
        self.items = items
    def __iter__(self):
        return iter(self.items)
    def close(self):
        pass
tqdm.tqdm = Bar
"""


@carried
def data(w):
    """A picture in place of the repository's, settings, and the weights that it wants to begin with."""
    picture("some.bmp", 224, 224, seed=1)
    os.replace("some.bmp", "data/0.jpg")  # decoders of JPEG differ
    with open("config/test.json", encoding="utf-8") as stream:
        given = json.load(stream)
    # Adam makes steps of what is rounding (biases ahead of batch normalizations): they are small.
    given.update(num_epochs=1, learning_rate=1e-6, num_classes=500, save_model_every=1, test_every=1,
                 num_groups=1)
    write("config/small.json", json.dumps(given))
    given.update(num_epochs=2)
    write("config/longer.json", json.dumps(given))
    given.update(train_or_test="test")
    write("config/test_small.json", json.dumps(given))
    with open("weights.pkl", "wb") as stream:
        draw = np.random.RandomState(0)
        pickle.dump({"conv1/conv/weights": draw.normal(0, 0.1, (3, 3, 3, 24)).astype("f")}, stream)


def train(w):
    w.script("main.py", "--config=config/small.json", ahead=_AHEAD)


def go_on(w):
    w.script("main.py", "--config=config/longer.json", ahead=_AHEAD)


def test(w):
    w.script("main.py", "--config=config/test_small.json", ahead=_AHEAD)
