"""Determined22/zh-NER-TF: a tagger with recurrent cells and a CRF; trains, tests, tags what is typed."""

from __future__ import annotations

import pickle

import numpy as np
from kit import carried, write

REPOSITORY = "https://github.com/Determined22/zh-NER-TF"
COMMIT = "e4a8732de88071dac5d1fce8da18de98365389fa"

_SMALL = ["--hidden_dim=6", "--embedding_dim=5", "--batch_size=4", "--epoch=2"]
# The folder of a run is called by its time, which stands in its log, as TensorFlow's own warnings do.
_AHEAD = """
import logging, random, time, numpy
random.seed(1)
numpy.random.seed(1)
time.time = lambda: 1000.0
time.strftime = lambda *a: 'now'
logging.Formatter.formatTime = lambda self, record, datefmt=None: 'now'
logging.getLogger('tensorflow').propagate = False
"""
# It knows no sentence without each kind of name.
_TAGS = [("PER, LOC, ORG = get_entity(tag, demo_sent)", "PER, LOC, ORG = tag, demo_sent, ''")]


@carried
def data(w):
    draw = np.random.RandomState(0)
    for name, count in (("train_data", 14), ("test_data", 6)):
        lines = []
        for _ in range(count):
            tags = ["O"] * draw.randint(5, 12)
            at = draw.randint(len(tags) - 3)
            tags[at : at + 3] = ["B-PER", "I-PER", "I-PER"]
            lines += [f"{chr(0x4E00 + draw.randint(20) + (40 if t != 'O' else 0))}\t{t}" for t in tags]
            lines.append("")
        write(f"data_path/{name}", "\n".join(lines) + "\n")
    known = {chr(0x4E00 + i): i + 1 for i in range(60)}
    known["<UNK>"], known["<PAD>"] = 61, 0
    with open("data_path/word2id.pkl", "wb") as stream:
        pickle.dump(known, stream, protocol=2)


def train(w):
    w.script("main.py", "--mode=train", *_SMALL, ahead=_AHEAD)


def train_otherwise(w):
    w.script("main.py", "--mode=train", "--CRF=false", "--optimizer=Momentum", "--update_embedding=false",
             *_SMALL, ahead=_AHEAD.replace("1000.0", "2000.0"))


def test(w):
    w.script("main.py", "--mode=test", "--demo_model=1000", *_SMALL, ahead=_AHEAD)


def tag(w):
    w.script("main.py", "--demo_model=1000", *_SMALL, ahead=_AHEAD, stdin="\u4e01\u4e29\u4e2a\u4e03\n\n",
             env={"PYTHONIOENCODING": "utf-8"}, instead=_TAGS)
