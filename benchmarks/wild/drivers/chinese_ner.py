"""zjy-ucas/ChineseNER: a tagger of characters, with a cell of its own; trains, goes on, tags a line."""

from __future__ import annotations

import numpy as np
from kit import carried, write

REPOSITORY = "https://github.com/zjy-ucas/ChineseNER"
COMMIT = "48e1007e60194c13377f8ce612c505d484b18c7d"

# jieba cuts text into words, every two characters here; the time is always the same.
_JIEBA = '''
def initialize():
    pass


def cut(text):
    return [text[i:i + 2] for i in range(0, len(text), 2)]
'''
_AHEAD = """
import random, numpy, logging
random.seed(1)
numpy.random.seed(1)
logging.Formatter.formatTime = lambda self, record, datefmt=None: 'now'
"""
_FLAGS = ["--nopre_emb", "--lstm_dim=6", "--char_dim=5", "--seg_dim=4", "--steps_check=3", "--batch_size=4"]
_FLOAT = ('DEFINE_float("batch_size"', 'DEFINE_integer("batch_size"')  # what slices take
_FEW = [("for i in range(100)", "for i in range(3)"), _FLOAT]


@carried
def data(w):
    write("stubs/jieba/__init__.py", _JIEBA)
    draw = np.random.RandomState(0)
    for name, count in (("train", 24), ("dev", 6), ("test", 6)):
        lines = []
        for _ in range(count):
            length = draw.randint(5, 12)
            tags = ["O"] * length
            at = draw.randint(length - 3)
            tags[at : at + 3] = ["B-PER", "I-PER", "I-PER"]
            for tag in tags:
                letter = chr(0x4E00 + draw.randint(20) + (40 if tag != "O" else 0))
                lines.append(f"{letter} {tag}")
            lines.append("")
        write(f"data/example.{name}", "\n".join(lines) + "\n")


def train(w):
    w.script("main.py", "--train", "--clean", *_FLAGS, ahead=_AHEAD, folders=["stubs"], instead=_FEW)


def go_on(w):
    w.script("main.py", "--train", *_FLAGS, ahead=_AHEAD, folders=["stubs"], instead=_FEW)


def tag(w):
    w.script("main.py", *_FLAGS, ahead=_AHEAD, folders=["stubs"], stdin="\u4e01\u4e29\u4e2a\u4e03\n",
             env={"PYTHONIOENCODING": "utf-8"},
             instead=[("while True", "for _ in range(1)")])
