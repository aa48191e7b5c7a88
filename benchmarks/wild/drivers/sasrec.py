"""kang205/SASRec: which thing comes next, by attention to those before it."""

from __future__ import annotations

import numpy as np
from kit import carried, write

REPOSITORY = "https://github.com/kang205/SASRec"
COMMIT = "e3738967fddab206d6eeb4fda433e7a7034dd8b1"
PYTHON2 = True

_AHEAD = """
import random, time, numpy
random.seed(1)
numpy.random.seed(1)
time.time = lambda: 0.0
"""
_FEW = [("n_workers=3", "n_workers=1"), ("epoch % 20 == 0", "epoch % 2 == 0")]


# Many things: where the one that is asked for is drawn beside itself, how NumPy sorts says which ranks first.
@carried
def data(w):
    draw = np.random.RandomState(0)
    write("data/toy.txt", "".join(
        f"{user} {thing}\n" for user in range(1, 25)
        for thing in draw.randint(1, 20000, draw.randint(4, 12))))  # fmt: skip


def _run(w, *flags):
    w.script("main.py", "--dataset=toy", "--batch_size=8", "--maxlen=6", "--hidden_units=6",
             "--num_epochs=4", *flags, ahead=_AHEAD, instead=_FEW)  # fmt: skip


def train(w):
    _run(w, "--train_dir=plain")


def regularized(w):
    _run(w, "--train_dir=heads", "--num_heads=2", "--l2_emb=0.01", "--dropout_rate=0.2", "--num_blocks=1")
