"""nfmcclure/tensorflow_cookbook: the recipes of a book, each for some steps."""

from __future__ import annotations

import glob
import os
import re

import numpy as np
from kit import carried, under, write, write_digits

REPOSITORY = "https://github.com/nfmcclure/tensorflow_cookbook"
COMMIT = "d998edfe7df11177df2ea17814be7bd6193788c9"

_AHEAD = """
import random, matplotlib, numpy, tensorflow
matplotlib.use('Agg')
numpy.random.seed(1)
random.seed(1)
"""
# What the recipes would have from the net.
_ASKED = _AHEAD + """
import requests
class Answer:
    def __init__(self, url, **given):
        self.text = open(ROOT + '/fetched/' + url.split('/')[-1], newline='').read()
        self.content = self.text.encode()
requests.get = Answer
"""


@carried
def data(w):
    draw = np.random.RandomState(0)
    write_digits("MNIST_data")
    rows = ["\t".join(["LOW", "AGE", "LWT", "RACE", "SMOKE", "PTL", "HT", "UI", "BWT"])]
    for _ in range(189):
        weight = draw.randint(700, 5000)
        rows.append("\t".join(map(str, [int(weight < 2500), draw.randint(14, 45), draw.randint(80, 250),
                                        *draw.randint(0, 2, 5), weight])))
    write("fetched/birthweight.dat", "\r\n".join(rows) + "\r\n")
    write("fetched/housing.data", "\n".join(
        " ".join(f"{v:.3f}" for v in draw.uniform(1, 30, 14)) for _ in range(506)) + "\n")


def _recipes(w, pattern, *instead, steps=40):
    """The recipes of a chapter, with fewer steps than they say."""
    for name in sorted(glob.glob(pattern)):
        with open(name, encoding="utf-8") as stream:
            said = stream.read()
        pairs = {(found, f"range({steps})") for found in re.findall(r"range\(\d{3,}\)", said)}
        folder, script = os.path.split(name)
        w.script(script, cwd=folder, ahead=_ASKED.replace("ROOT", repr(os.getcwd())),
                 instead=[*instead, *sorted(pairs)])


def tensors(w):
    _recipes(w, "01*/02*/*.py")


def placeholders(w):
    _recipes(w, "01*/03*/*.py")


def matrices(w):
    _recipes(w, "01*/04*/*.py")


def operations(w):
    _recipes(w, "01*/05*/*.py")
    _recipes(w, "01*/06*/*.py")


def graph(w):
    _recipes(w, "02*/01*/*.py")
    _recipes(w, "02*/02*/*.py")


def layers(w):
    _recipes(w, "02*/03*/*.py")


def losses(w):
    _recipes(w, "02*/04*/*.py")


def propagate(w):
    _recipes(w, "02*/05*/*.py")


def batches(w):
    _recipes(w, "02*/06*/*.py")


def combine(w):
    _recipes(w, "02*/07*/*.py")


def evaluate(w):
    _recipes(w, "02*/08*/*.py")


def inverse(w):
    _recipes(w, "03*/0[12]*/*.py")


def regression(w):
    _recipes(w, "03*/0[34]*/*.py")


def deming(w):
    _recipes(w, "03*/05*/*.py")


def lasso(w):
    _recipes(w, "03*/0[67]*/*.py")


def logistic(w):
    _recipes(w, "03*/08*/*.py")


def linear_machine(w):
    _recipes(w, "04*/0[23]*/*.py")


def kernels(w):
    _recipes(w, "04*/0[456]*/*.py")


def neighbors(w):
    _recipes(w, "05*/0[24]*/*.py")


def distances(w):
    _recipes(w, "05*/03*/*.py")


def addresses(w):
    _recipes(w, "05*/05*/*.py")


def images(w):
    _recipes(w, "05*/06*/*.py")


def gates(w):
    _recipes(w, "06*/0[23]*/*.py")


def hidden(w):
    _recipes(w, "06*/04*/*.py")


def other_layers(w):
    _recipes(w, "06*/05*/*.py")


def several(w):
    _recipes(w, "06*/0[67]*/*.py")


def moves(w):
    _recipes(w, "06*/08*/*.py")


def unit_tests(w):
    _recipes(w, "10*/01*/*.py")


@under("TF404", "10_Taking_TensorFlow_to_Production/02_Using_Multiple_Devices/02_using_multiple_devices.py",
       "the log of where operations are placed")
def devices(w):
    _recipes(w, "10*/0[23]*/*.py")


def board(w):
    _recipes(w, "11*/01*/*.py")


def genetic(w):
    _recipes(w, "11*/02*/*.py", ("generations = 200", "generations = 20"))


def means(w):
    _recipes(w, "11*/03*/*.py")


def ode(w):
    _recipes(w, "11*/04*/*.py")
