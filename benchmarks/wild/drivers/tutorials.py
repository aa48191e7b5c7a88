"""golbin/TensorFlow-Tutorials: small programs from a first graph to sequences and reinforcement learning."""

from __future__ import annotations

import os

from kit import carried, settings, write_digits

REPOSITORY = "https://github.com/golbin/TensorFlow-Tutorials"
COMMIT = "c8ac1e45ca27cccd228f316dd4f66afbc22f9016"

_AHEAD = """
import random, matplotlib, numpy, tensorflow
matplotlib.use('Agg')
numpy.random.seed(1)
random.seed(1)
"""
# The game's picture is not drawn.
_UNSEEN = _AHEAD + """
import matplotlib.pyplot
matplotlib.pyplot.pause = matplotlib.pyplot.ion = lambda *a: None
"""


@carried
def data(w):
    write_digits("mnist/data")


def _script(w, name, *instead, cwd=".", ahead=_AHEAD):
    w.script(name, ahead=ahead, instead=list(instead), cwd=cwd)


def basic(w):
    for name in ("01 - Basic", "02 - Variable", "03 - Linear Regression"):
        _script(w, f"03 - TensorFlow Basic/{name}.py")


def classify(w):
    for name in ("01 - Classification", "02 - Deep NN"):
        _script(w, f"04 - Neural Network Basic/{name}.py")


def save(w):
    for _ in range(2):
        _script(w, "01 - Saver.py", ("'./model", "'./kept"), cwd="05 - TensorBoard, Saver")


def board(w):
    for name in ("02 - TensorBoard.py", "03 - TensorBoard2.py"):
        _script(w, name, ("range(100)", "range(5)"), cwd="05 - TensorBoard, Saver")


def digits(w):
    _script(w, "06 - MNIST/01 - MNIST.py", ("range(15)", "range(2)"))
    _script(w, "06 - MNIST/02 - Dropout.py", ("range(30)", "range(2)"))


def convolution(w):
    for name in ("01 - CNN", "02 - tf.layers"):
        _script(w, f"07 - CNN/{name}.py", ("range(15)", "range(1)"))


def autoencoder(w):
    _script(w, "08 - Autoencoder/01 - Autoencoder.py", ("= 20", "= 2"))


def adversaries(w):
    for folder in ("samples", "samples2"):  # where it looks from here; empty ones are not carried
        os.makedirs(folder, exist_ok=True)
    for name in ("01 - GAN", "02 - GAN2"):
        _script(w, f"09 - GAN/{name}.py", ("= 100\n", "= 2\n"))


def recurrent(w):
    _script(w, "10 - RNN/01 - MNIST.py", ("= 30\n", "= 2\n"))
    _script(w, "10 - RNN/02 - Autocomplete.py", ("= 30\n", "= 5\n"))
    _script(w, "10 - RNN/03 - Seq2Seq.py", ("= 100\n", "= 5\n"))


@settings(timeout=900)
def reinforce(w):
    w.script("agent.py", "--train", cwd="12 - DQN", ahead=_UNSEEN, instead=[
        ("MAX_EPISODE = 10000", "MAX_EPISODE = 3"),
        ("TARGET_UPDATE_INTERVAL = 1000", "TARGET_UPDATE_INTERVAL = 5"),
        ("OBSERVE = 100", "OBSERVE = 40"), ("TRAIN_INTERVAL = 4", "TRAIN_INTERVAL = 2")])  # fmt: skip
