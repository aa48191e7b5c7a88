"""wenxinxu/resnet-in-tensorflow: trains the residual network on pictures like CIFAR-10's, and tests it."""

from __future__ import annotations

import pickle

import numpy as np
from kit import carried, settings, under, write

REPOSITORY = "https://github.com/wenxinxu/resnet-in-tensorflow"
COMMIT = "8ba8d8905e099cd7e1b1cf1f84b89f603f7613a0"
PYTHON2 = True

_SMALL = (
    "--train_steps=3", "--report_freq=2", "--train_batch_size=4", "--validation_batch_size=4",
    "--num_residual_blocks=1", "--version=tiny",
)  # fmt: skip


@carried
def pictures(w):
    random = np.random.RandomState(0)
    folder = "cifar10_data/cifar-10-batches-py"
    write("cifar10_data/cifar-10-python.tar.gz", "")
    write(f"{folder}/readme.html", "")
    for name in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"):
        count = 10000 if name == "test_batch" else 200
        content = {"data": random.randint(0, 256, (count, 3072)).astype(np.uint8),
                   "labels": random.randint(0, 10, count).tolist()}  # fmt: skip
        with open(f"{folder}/{name}", "wb") as stream:
            pickle.dump(content, stream, protocol=2)


@settings(timeout=900)
@under("PY105", "cifar10_train.py", "errors are averaged whose operation Python 2's / called div")
def train(w):
    w.script("cifar10_train.py", *_SMALL, ahead="import cifar10_input as c; c.EPOCH_SIZE = 1000")


def network(w):
    from resnet import inference

    random = np.random.RandomState(0)
    w.dump(logits=w.call(lambda x: inference(x, 1, reuse=False), random.randn(2, 32, 32, 3).astype("f")))
