"""taki0112/ResNet-Tensorflow: residual networks of 18 and 50 layers train on small pictures, go on, are
tested."""

from __future__ import annotations

import numpy as np
from kit import carried

REPOSITORY = "https://github.com/taki0112/ResNet-Tensorflow"
COMMIT = "f395de3a53ddd8bb53828c79bd3c17e77d59858d"

# Keras's data sets are in files, SciPy has no pictures any more, and times are printed.
_AHEAD = """
import random, sys, time, types
import numpy as np
random.seed(0)
time.time = lambda: 0.0
try:
    from keras import datasets
except ImportError:
    keras = sys.modules['keras'] = types.ModuleType('keras')
    datasets = keras.datasets = sys.modules['keras.datasets'] = types.ModuleType('keras.datasets')
    keras.utils = sys.modules['keras.utils'] = types.ModuleType('keras.utils')
    keras.utils.to_categorical = lambda labels, n: np.eye(n, dtype='f')[np.ravel(labels)]
def load(name):
    kept = np.load(name + '.npz')
    return (kept['x'], kept['y']), (kept['z'], kept['t'])
for name in ('cifar10', 'cifar100', 'mnist', 'fashion_mnist'):
    setattr(datasets, name, types.SimpleNamespace(load_data=lambda name=name: load(name)))
import scipy
if not hasattr(getattr(scipy, 'misc', None), 'imread'):
    scipy.misc = sys.modules['scipy.misc'] = types.ModuleType('scipy.misc')
"""


@carried
def pictures(w):
    random = np.random.RandomState(0)
    for name, shape in (("cifar10", (32, 32, 3)), ("mnist", (28, 28))):
        x = random.randint(0, 255, (8, *shape)).astype(np.uint8)
        z = random.randint(0, 255, (3, *shape)).astype(np.uint8)
        np.savez(name, x=x, y=random.randint(0, 10, 8), z=z, t=random.randint(0, 10, 3))


def _main(w, *args):
    w.script("main.py", "--batch_size=4", "--lr=0.01", *args, ahead=_AHEAD)


def train(w):
    _main(w, "--dataset=cifar10", "--epoch=1")


def go_on(w):
    _main(w, "--dataset=cifar10", "--epoch=2")


def test(w):
    _main(w, "--dataset=cifar10", "--phase=test")


def bottlenecks(w):
    _main(w, "--dataset=mnist", "--epoch=1", "--res_n=50", "--checkpoint_dir=deep")
