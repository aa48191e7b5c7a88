"""guillaumegenthial/sequence_tagging: builds the vocabularies, trains a tagger with a CRF, and tags."""

from __future__ import annotations

from kit import carried, settings, write

REPOSITORY = "https://github.com/guillaumegenthial/sequence_tagging"
COMMIT = "5cb9890e7c52e35a1239378da43a8de7be508003"

_AHEAD = """
import logging
import random
import numpy
logging.Formatter.formatTime = lambda self, record, datefmt=None: ''
logging.getLogger('tensorflow').setLevel('ERROR')
random.seed(1)
numpy.random.seed(1)
import model.config
C = model.config.Config
C.dim_word, C.dim_char, C.hidden_size_char, C.hidden_size_lstm = 8, 6, 5, 7
C.filename_glove, C.nepochs, C.dropout, C.batch_size = 'data/glove.txt', 2, 1.0, 3
C.use_crf = USE_CRF
"""


@carried
def data(w):
    words = "jean pierre lives in new york . the european union is a of".split()
    write("data/glove.txt", "".join(
        f"{word} {' '.join(f'{(i * 7 + k * 3) % 11 / 10 - 0.5:.2f}' for k in range(8))}\n"
        for i, word in enumerate(words)))  # fmt: skip
    w.script("build_data.py", ahead=_AHEAD.replace("USE_CRF", "True"))


@settings(timeout=900)
def train(w):
    w.script("train.py", ahead=_AHEAD.replace("USE_CRF", "True"))


def evaluate(w):
    w.script("evaluate.py", ahead=_AHEAD.replace("USE_CRF", "True"), stdin="Jean lives in York\nexit\n")


@settings(timeout=900)
def train_plain(w):
    w.script("train.py", ahead=_AHEAD.replace("USE_CRF", "False"))
