"""hunkim/DeepLearningZeroToAll: the labs of a course, from linear regression to recurrent networks."""

from __future__ import annotations

import glob
import re

from kit import carried, settings, write_digits

REPOSITORY = "https://github.com/hunkim/DeepLearningZeroToAll"
COMMIT = "60c707e02af7bd950401faeadcc6c0e1b39b2978"

_AHEAD = """
import random, matplotlib, numpy, tensorflow
matplotlib.use('Agg')
numpy.random.seed(1)
random.seed(1)
"""


@carried
def data(w):
    write_digits("MNIST_data")


def _labs(w, pattern, steps=41, epochs=1):
    """The labs of a chapter, with fewer steps than they say."""
    for lab in sorted(glob.glob(f"lab-{pattern}.py")):
        with open(lab, encoding="utf-8") as stream:
            said = stream.read()
        pairs = {(found, f"range({steps})") for found in re.findall(r"range\(\d{3,}\)", said)}
        for name in ("training_epochs", "num_epochs"):
            pairs |= {(found, f"{name} = {epochs}") for found in re.findall(rf"{name} = \d+", said)}
        # Letters come in the order of their hashes, which Python 3.11 changed.
        pairs |= {(found, f"sorted({found[5:]}") for found in re.findall(r"list\(set\(\w+\)\)", said)}
        pairs |= {(found, "iterations = 30") for found in re.findall(r"iterations = \d+", said)}
        w.script(lab, ahead=_AHEAD, instead=sorted(pairs))


def linear(w):
    _labs(w, "02-*")


def costs(w):
    _labs(w, "03-*")


def variables(w):
    _labs(w, "04-[12]*")


def files(w):
    _labs(w, "04-[34]*")


def logistic(w):
    _labs(w, "05-*")


def softmax(w):
    _labs(w, "06-*")


def rates(w):
    _labs(w, "07-*")


def gates(w):
    _labs(w, "09-[123x]*")


def board(w):
    _labs(w, "09-4*")


def by_hand(w):
    _labs(w, "09-[567]*")


def digits(w):
    _labs(w, "10-[123]*")


def deep(w):
    _labs(w, "10-[45]*")


def higher(w):
    _labs(w, "10-7*")


def selu(w):
    _labs(w, "10-8*")


def steps(w):
    _labs(w, "10-X1*")


@settings(timeout=1200)
def convolution(w):
    _labs(w, "11-1*")
    _labs(w, "11-4*")


@settings(timeout=1200)
def classes(w):
    _labs(w, "11-3*")


@settings(timeout=1200)
def ensemble(w):
    _labs(w, "11-5*")


@settings(timeout=1200)
def low_memory(w):
    _labs(w, "11-X*")


def words(w):
    _labs(w, "12-[123]*")


def long_words(w):
    _labs(w, "12-4*", 8)


# After 300 of its 500 steps Adam jumps: with rows in another order 1.15.5 itself has 0.68 or 0.59 as loss.
def stock(w):
    _labs(w, "12-5*")


def scopes(w):
    _labs(w, "13-[12]*")


def save(w):
    _labs(w, "13-3*", epochs=1)
    _labs(w, "13-3*", epochs=2)
