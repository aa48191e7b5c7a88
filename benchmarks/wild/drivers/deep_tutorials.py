"""xiaohu2015/DeepLearning_tutorials: models of a course, from logistic regression to deep belief networks,
and networks for pictures."""

from __future__ import annotations

import sys

import numpy as np
from kit import carried, settings, write_digits

REPOSITORY = "https://github.com/xiaohu2015/DeepLearning_tutorials"
COMMIT = "9804687d65db6ea1dd31ef716af0b8af824e29bd"

_AHEAD = """
import random, numpy
random.seed(1)
numpy.random.seed(1)
"""


@carried
def data(w):
    write_digits("models/MNIST_data")


def _model(w, name, *instead):
    w.script(f"{name}.py", cwd="models", ahead=_AHEAD, instead=instead)


def logistic(w):
    _model(w, "logisticRegression", ("training_epochs = 50", "training_epochs = 6"))


def perceptron(w):
    _model(w, "mlp", ("training_epochs = 10", "training_epochs = 2"))


def convolution(w):
    _model(w, "cnn", ("training_epochs = 10", "training_epochs = 1"), ("tf.scan()", "pass"))


@settings(timeout=900)
def boltzmann(w):
    _model(w, "rbm", ("training_epochs = 15", "training_epochs = 1"),
           ("step_every = 1000", "step_every = 20"))  # fmt: skip


@settings(timeout=900)
def belief(w):
    _model(w, "dbn", ("training_epochs=10", "training_epochs=1"))


def _network(w, made):
    sys.path.insert(0, "CNNs")
    pictures = np.random.RandomState(0).uniform(-1, 1, (2, 224, 224, 3)).astype(np.float32)
    w.dump(predicted=w.call(made, pictures))


def mobile(w):
    def made(pictures):
        from MobileNet import MobileNet

        return MobileNet(pictures, num_classes=10, width_multiplier=0.25).predictions

    _network(w, made)


def squeezed(w):
    def made(pictures):
        from SqueezeNet import SqueezeNet

        return SqueezeNet(pictures, is_training=False).prediction

    _network(w, made)


def residual(w):
    def made(pictures):
        from ResNet50 import ResNet50

        return ResNet50(pictures, num_classes=10, is_training=False).predictions

    _network(w, made)


def mobile_again(w):
    def made(pictures):
        from mobilenet_v2 import mobilenet_arg_scope, mobilenetv2, slim

        with slim.arg_scope(mobilenet_arg_scope(is_training=False)):
            return mobilenetv2(pictures)

    _network(w, made)


def shuffled(w):
    def made(pictures):
        from shufflenet_v2 import ShuffleNetv2

        return ShuffleNetv2(10)(pictures, training=False)

    _network(w, made)
