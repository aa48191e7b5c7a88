"""nlintz/TensorFlow-Tutorials: from a multiplication to an LSTM and adversaries, a few steps each."""

from __future__ import annotations

import os

from kit import carried, write_digits

REPOSITORY = "https://github.com/nlintz/TensorFlow-Tutorials"
COMMIT = "d6bdab7df46492446c48537fcf37e20ba44e8168"

_AHEAD = """
import random, matplotlib, numpy, tensorflow
matplotlib.use('Agg')
numpy.random.seed(1)
random.seed(1)
"""
_SHORT = ("range(100)", "range(2)")


@carried
def data(w):
    write_digits("MNIST_data")
    os.makedirs("logs", exist_ok=True)


def _script(w, name, *instead):
    w.script(name, ahead=_AHEAD, instead=list(instead))


def multiply(w):
    _script(w, "00_multiply.py")


def linear(w):
    _script(w, "01_linear_regression.py", ("range(100)", "range(5)"))


def logistic(w):
    _script(w, "02_logistic_regression.py", _SHORT)


def net(w):
    _script(w, "03_net.py", _SHORT)


def modern_net(w):
    _script(w, "04_modern_net.py", ("range(100)", "range(1)"))


def convolution(w):
    _script(w, "05_convolutional_net.py", ("range(100)", "range(1)"),
            ("range(0, len(trX), batch_size)", "range(0, 400, batch_size)"))  # fmt: skip


def autoencoder(w):
    _script(w, "06_autoencoder.py", ("range(100)", "range(1)"),
            ("vis(predicted_imgs,'pred')", "np.save('pred.npy', predicted_imgs)"),
            ("vis(input_imgs,'in')", "np.save('in.npy', input_imgs)"))  # fmt: skip


def recurrent(w):
    _script(w, "07_lstm.py", ("range(100)", "range(1)"),
            ("range(0, len(trX), batch_size)", "range(0, 1300, batch_size)"))  # fmt: skip


def words(w):
    _script(w, "08_word2vec.py", ("range(100)", "range(3)"), ("step % 10 == 0", "True"),
            ('plt.savefig("word2vec.png")', "print(trained_embeddings)"))  # fmt: skip


def board(w):
    _script(w, "09_tensorboard.py", ("range(100)", "range(1)"))


def save(w):
    for epochs in ("range(start, 2)", "range(start, 3)"):
        _script(w, "10_save_restore_net.py", ("range(start, 100)", epochs),
                ("range(0, len(trX), 128)", "range(0, 1000, 128)"))  # fmt: skip


def adversaries(w):
    _script(w, "11_gan.py", ("range(200)", "range(3)"))
