"""yunjey/domain-transfer-network: house numbers become digits. Its training ahead: 1.15 refuses the other."""

from __future__ import annotations

import os
import pickle

import numpy as np
from kit import carried

REPOSITORY = "https://github.com/yunjey/domain-transfer-network"
COMMIT = "eaa2d5ec3d195ae950e891977a36b3bdd0ae519e"

# Saves and prints of the solver come more often than it says.
_AHEAD = """
import random, sys, numpy
from importlib.machinery import SourceFileLoader
random.seed(1)
numpy.random.seed(1)
sys.dont_write_bytecode = True
read = SourceFileLoader.get_data
SourceFileLoader.get_data = lambda self, path: read(self, path).replace(
    b'(step+1) % 1000', b'(step+1) % 4').replace(b'(step+1) % 10 ', b'(step+1) % 2 ')
"""
_FEW = [("batch_size=100", "batch_size=4"), ("pretrain_iter=20000", "pretrain_iter=4")]


@carried
def data(w):
    import scipy.io

    draw = np.random.RandomState(0)
    for folder in ("svhn", "mnist"):
        os.makedirs(folder)
    for name in ("extra", "train", "test"):
        scipy.io.savemat(f"svhn/{name}_32x32.mat", {
            "X": draw.randint(0, 256, (32, 32, 3, 16)).astype(np.uint8), "y": draw.randint(1, 11, (16, 1))})
    with open("mnist/train.pkl", "wb") as stream:
        pickle.dump({"X": draw.randint(0, 256, (16, 32, 32, 1)).astype(np.uint8),
                     "y": draw.randint(0, 10, 16)}, stream, 2)  # fmt: skip


def pretrain(w):
    w.script("main.py", "--mode=pretrain", ahead=_AHEAD, instead=_FEW)
