"""conan7882/GoogLeNet-Inception: trains on pictures like CIFAR-10's, evaluates and predicts."""

from __future__ import annotations

import os
import pickle

import numpy as np
from kit import carried, settings

REPOSITORY = "https://github.com/conan7882/GoogLeNet-Inception"
COMMIT = "2a015d1e0f378fb3b5ba8509586b4e2cebb84156"


@carried
def data(w):
    random = np.random.RandomState(0)
    os.makedirs("cifar")
    os.makedirs("kept")
    open("kept/.keep", "w").close()
    for name in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"):
        content = {b"data": random.randint(0, 256, (4, 3072)).astype(np.uint8),
                   b"labels": random.randint(0, 10, 4).tolist()}  # fmt: skip
        with open(f"cifar/{name}", "wb") as stream:
            pickle.dump(content, stream, protocol=2)


def _run(w, *flags):
    w.script("inception_cifar.py", *flags, cwd="examples", folders=["."], instead=[
        ("'/home/qge2/workspace/data/dataset/cifar/'", "'../cifar/'"),
        ("'/home/qge2/workspace/data/out/googlenet/cifar/'", "'../kept/'"),
    ])  # fmt: skip


@settings(timeout=900)
def train(w):
    _run(w, "--train", "--maxepoch=1", "--bsize=4")


def evaluate(w):
    _run(w, "--eval", "--load=0", "--bsize=4")


def predict(w):
    _run(w, "--predict", "--load=0", "--im_name=cat")
