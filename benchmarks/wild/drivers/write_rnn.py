"""hardmaru/write-rnn-tensorflow: learns to write by hand, and writes and freezes."""

from __future__ import annotations

import os
import pickle

import numpy as np
from kit import carried, settings

REPOSITORY = "https://github.com/hardmaru/write-rnn-tensorflow"
COMMIT = "c9423a1adf1eaa65297e16f7a1a555ffb777d8c5"

# What draws is not installed; it is told what was written.
_AHEAD = """
import sys, types
svg = sys.modules['svgwrite'] = types.ModuleType('svgwrite')
class Drawing:
    def __init__(self, name, size):
        print(name, size)
    def __getattr__(self, name):
        return lambda *given, **more: self
    def tostring(self):
        return ''
svg.Drawing = Drawing
shown = sys.modules['IPython.display'] = types.ModuleType('IPython.display')
shown.SVG = shown.display = lambda *given: None
"""
_SMALL = ("--rnn_size=6", "--batch_size=2", "--seq_length=5", "--num_mixture=3", "--save_every=2")
_TIME = [("end - start))", "0.))")]


@carried
def strokes(w):
    draw = np.random.RandomState(0)
    rows = [np.concatenate([draw.randint(-40, 40, (60, 2)), draw.randint(2, size=(60, 1))], 1)
            for _ in range(42)]  # fmt: skip
    os.makedirs("data", exist_ok=True)
    with open("data/strokes_training_data.cpkl", "wb") as stream:
        pickle.dump([row.astype(np.float64) for row in rows], stream, protocol=2)


@settings(timeout=900)
def train(w):
    w.script("train.py", *_SMALL, "--num_epochs=2", "--keep_prob=1.", "--model_dir=plain",
             ahead=_AHEAD, instead=_TIME)  # fmt: skip


@settings(timeout=900)
def sample(w):
    w.script("sample.py", "--model_dir=plain", "--sample_length=8", "--freeze_graph", ahead=_AHEAD)

