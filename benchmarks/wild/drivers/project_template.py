"""MrGemy95/Tensorflow-Project-Template: the template's example, trained, and gone on with."""

from __future__ import annotations

import json

from kit import carried, write

REPOSITORY = "https://github.com/MrGemy95/Tensorflow-Project-Template"
COMMIT = "a7e3ce2deb83095399ce48de40f7a5ceb073fe47"

_AHEAD = """
import numpy
numpy.random.seed(1)
"""


@carried
def config(w):
    # The package `bunch` that the template asks for.
    write("bunch.py", "class Bunch(dict):\n    __getattr__ = dict.__getitem__\n"
          "    __setattr__ = dict.__setitem__\n")  # fmt: skip
    for name, epochs in (("first", 1), ("again", 3)):
        said = {"exp_name": "tried", "num_epochs": epochs, "num_iter_per_epoch": 3, "learning_rate": 0.001,
                "batch_size": 4, "state_size": [784], "max_to_keep": 5}  # fmt: skip
        write(f"configs/{name}.json", json.dumps(said))


def train(w):
    _example(w, "first")


def go_on(w):
    _example(w, "again")


def _example(w, name):
    w.script("example.py", "-c", f"../configs/{name}.json", cwd="mains", folders=["."], ahead=_AHEAD)
