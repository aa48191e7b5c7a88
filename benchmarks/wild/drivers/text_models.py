"""dongjun-Lee/text-classification-models-tf: trains six networks on sentences, tests what they saved."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, settings, text, under, write

REPOSITORY = "https://github.com/dongjun-Lee/text-classification-models-tf"
COMMIT = "768ea13547104f56786c52f0c6eb99912c816a09"

# A tokenizer that splits at spaces in the place of one that is downloaded.
_AHEAD = """
import sys, types
import numpy
numpy.random.seed(1)
nltk = sys.modules['nltk'] = types.ModuleType('nltk')
nltk.tokenize = sys.modules['nltk.tokenize'] = types.ModuleType('nltk.tokenize')
nltk.tokenize.word_tokenize = str.split
"""
_SMALL = [("BATCH_SIZE = 64", "BATCH_SIZE = 4"), ("NUM_EPOCHS = 10", "NUM_EPOCHS = 1"),
          ("step % 100 ", "step % 1 "), ("step % 2000", "step % 3")]  # fmt: skip


@carried
def data(w):
    draw = np.random.RandomState(0)
    for name, count in (("train", 30), ("test", 12)):
        lines = text(count, count, "a fine warm film with charm and a moving story, it is good").split("\n")
        labels = draw.randint(1, 3, count)
        write(f"dbpedia_csv/{name}.csv", "".join(
            f'{label},"title {n}","{line}"\n' for n, (label, line) in enumerate(
                zip(labels, lines))))  # noqa: B905  # Python 3.7


def _train(w, model):
    os.makedirs(model, exist_ok=True)
    w.script("train.py", f"--model={model}", ahead=_AHEAD, instead=_SMALL)


def _test(w, model):
    w.script("test.py", f"--model={model}", ahead=_AHEAD, instead=[("BATCH_SIZE = 128", "BATCH_SIZE = 5")])


def word_cnn(w):
    _train(w, "word_cnn")


def word_rnn(w):
    _train(w, "word_rnn")


def att_rnn(w):
    _train(w, "att_rnn")


def rcnn(w):
    _train(w, "rcnn")


@settings(timeout=900)
def char_cnn(w):
    _train(w, "char_cnn")


@under("TF152", "cnn_models/vd_cnn.py", "what it does not sort comes in another order")
@settings(timeout=900)
def vd_cnn(w):
    _train(w, "vd_cnn")


def test_word_cnn(w):
    _test(w, "word_cnn")


def test_word_rnn(w):
    _test(w, "word_rnn")


def test_att_rnn(w):
    _test(w, "att_rnn")


def test_vd_cnn(w):
    _test(w, "vd_cnn")


@carried
def by_original(w):
    for model in ("word_cnn", "att_rnn"):
        _train(w, model)


def test_of_original(w):
    for model in ("word_cnn", "att_rnn"):
        _test(w, model)
