"""shichence/AutoInt: attention between features, with and without wide and deep parts."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, settings

REPOSITORY = "https://github.com/shichence/AutoInt"
COMMIT = "d88536fbe9733e45d182fb600657d0bdf82b640c"

_AHEAD = """
import random, numpy
random.seed(1)
numpy.random.seed(1)
"""
_FLAGS = ["--data=Criteo", "--data_path=made", "--field_size=5", "--run_times=1", "--epoch=1",
          "--batch_size=16", "--blocks=2", "--block_shape=[8,8]", "--embedding_size=4", "--is_save=True"]


@carried
def data(w):
    draw = np.random.RandomState(0)
    for part in range(1, 11):
        folder = f"made/Criteo/part{part}"
        os.makedirs(folder)
        values = draw.randint(0, 6, (40, 5)) + 6 * np.arange(5)
        np.save(f"{folder}/train_i.npy", values)
        np.save(f"{folder}/train_x2.npy", draw.uniform(0.5, 1, (40, 5)).astype(np.float32))
        np.save(f"{folder}/train_y.npy", (values[:, 0] % 2).astype(np.int64))
    np.save("made/Criteo/feature_size.npy", np.array([30]))


def train(w):
    w.script("train.py", *_FLAGS, "--save_path=plain/", ahead=_AHEAD)


@settings(tolerance=0.01, why="the area under a curve of 40 examples moves by pairs of them: "
          "by 0.01 in 1.15.5 itself, with its sums in float64")
def wide(w):
    w.script("train.py", *_FLAGS, "--save_path=wide/", "--has_wide=True", ahead=_AHEAD)


@settings(tolerance=0.002, why="the logarithm of 1 - sigmoid makes 8e-5 of the sigmoid's last bit: "
          "1.15.5 with a sigmoid out of float64 moves by 3e-4")
def deep(w):
    w.script("train.py", *_FLAGS, "--save_path=deep/", "--deep_layers=[6,6]", "--batch_norm=1",
             "--l2_reg=0.01", "--optimizer_type=adagrad", ahead=_AHEAD)  # fmt: skip


def otherwise(w):
    w.script("train.py", *_FLAGS, "--save_path=mse/", "--loss_type=mse", "--optimizer_type=momentum",
             "--has_residual=False", "--dropout_keep_prob=[0.8,0.9,1]", ahead=_AHEAD)
