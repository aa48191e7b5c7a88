"""hwalsuklee/tensorflow-generative-model-collections: a dozen adversaries, one epoch each."""

from __future__ import annotations

from kit import settings

REPOSITORY = "https://github.com/hwalsuklee/tensorflow-generative-model-collections"
COMMIT = "3abde8a9bcfe31815da50347d14641ec95096f62"

# 16 made-up digits in the place of 70,000.
_AHEAD = """
import numpy, matplotlib
matplotlib.use('Agg')
numpy.random.seed(1)
import {0} as pictures
pictures.imsave = lambda path, image: numpy.save(path + '.npy', image)
import utils
def few(name):
    draw = numpy.random.RandomState(3)
    return draw.rand(16, 28, 28, 1), numpy.eye(10)[numpy.arange(16) % 10]
utils.load_mnist = few
"""


def _train(w, kind):
    ahead = _AHEAD.format("tf1_support.scipy_misc" if w.after else "scipy.misc")
    w.script("main.py", f"--gan_type={kind}", "--epoch=1", "--batch_size=8", "--z_dim=6", ahead=ahead)


@settings(timeout=900)
def plain(w):
    _train(w, "GAN")


@settings(timeout=900)
def conditional(w):
    _train(w, "CGAN")


@settings(timeout=900)
def information(w):
    _train(w, "infoGAN")


@settings(timeout=900)
def classifier(w):
    _train(w, "ACGAN")


@settings(timeout=900)
def energy(w):
    _train(w, "EBGAN")


@settings(timeout=900)
def equilibrium(w):
    _train(w, "BEGAN")


@settings(timeout=900)
def wasserstein(w):
    _train(w, "WGAN")


@settings(timeout=900)
def wasserstein_penalty(w):
    _train(w, "WGAN_GP")


@settings(timeout=900)
def regret(w):
    _train(w, "DRAGAN")


@settings(timeout=900)
def squares(w):
    _train(w, "LSGAN")


@settings(timeout=900)
def autoencoder(w):
    _train(w, "VAE")


@settings(timeout=900)
def conditional_autoencoder(w):
    _train(w, "CVAE")
