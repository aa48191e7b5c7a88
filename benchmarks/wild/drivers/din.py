"""zhougr1993/DeepInterestNetwork: which of two things a user takes, by what was taken before; four models."""

from __future__ import annotations

import os
import pickle

import numpy as np
from kit import carried

REPOSITORY = "https://github.com/zhougr1993/DeepInterestNetwork"
COMMIT = "9765f96202f849e59ff260c8b46931a0ddf01d77"
PYTHON2 = True

_MODELS = ("base_model", "deepFM", "din", "pnn")
_AHEAD = """
import time
time.time = lambda: 0.0
"""
_FEW = [("range(50)", "range(2)"), ("% 1000 == 0", "% 3 == 0"),
        ("predict_ads_num = 100", "predict_ads_num = 5"), ("train_batch_size = 32", "train_batch_size = 8"),
        ("test_batch_size = 512", "test_batch_size = 8"),
        # 2to3 takes what is printed for a tuple, as Python 2 did.
        ("print(('best test_gauc:', best_auc))", "print('best test_gauc:', best_auc)")]


@carried
def data(w):
    draw = np.random.RandomState(0)
    taken = lambda: [int(i) for i in draw.randint(0, 30, draw.randint(1, 6))]  # noqa: E731
    train = [(u % 10, taken(), int(draw.randint(30)), int(draw.randint(2))) for u in range(48)]
    test = [(u % 10, taken(), tuple(map(int, draw.choice(30, 2, replace=False)))) for u in range(16)]
    for folder in _MODELS:
        os.makedirs(f"{folder}/save_path")
        with open(f"{folder}/dataset.pkl", "wb") as stream:
            for part in (train, test, draw.randint(0, 4, 30).astype(np.int32), (10, 30, 4)):
                pickle.dump(part, stream, 2)


def _train(w, folder):
    with open(f"{folder}/train.py", encoding="utf-8") as stream:
        said = stream.read()
    w.script("train.py", cwd=folder, ahead=_AHEAD, instead=[pair for pair in _FEW if pair[0] in said])


def base(w):
    _train(w, "base_model")


def factors(w):
    _train(w, "deepFM")


def interest(w):
    _train(w, "din")


def products(w):
    _train(w, "pnn")
