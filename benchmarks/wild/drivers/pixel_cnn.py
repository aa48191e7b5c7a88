"""openai/pixel-cnn: trains PixelCNN++ on pictures like CIFAR-10's, with samples, and goes on."""

from __future__ import annotations

from kit import settings, under

REPOSITORY = "https://github.com/openai/pixel-cnn"
COMMIT = "bbc15688dd37934a12c2759cf2b34975e15901d9"

_TRAIN = (
    "train.py", "--data_dir=tiny", "--nr_gpu=1", "--nr_resnet=1", "--nr_filters=4", "--nr_logistic_mix=2",
    "--batch_size=2", "--init_batch_size=4", "--max_epochs=1",
)  # fmt: skip
# Figures are drawn by another matplotlib; what they show is kept as arrays beside them.
# The devices that the script names are GPUs, and whole pictures take 1024 runs.
_CPU = """
import numpy as np, tensorflow as tf
import data.cifar10_data as d
from matplotlib import pyplot
pyplot.savefig = lambda *args: None
random = np.random.RandomState(0)
d.load = lambda folder, subset: (
    random.randint(0, 256, (8, 3, 8, 8)).astype('uint8'), (np.arange(8) % 3).astype('uint8'))
"""
_BEFORE = _CPU + """
import functools
tf.Session = functools.partial(tf.Session, config=tf.ConfigProto(allow_soft_placement=True))
"""
_AFTER = _CPU + "tf.config.set_soft_device_placement(True)\n"


# Of the updates of one step, some read the counter before and some after it was moved on.
_COUNTED = "TensorFlow 1 leaves open which updates read adam_t before it is counted on"


@under("TF310", "pixel_cnn_pp/nn.py", _COUNTED)
@settings(timeout=900)
def train(w):
    w.script(*_TRAIN, "--save_dir=kept", ahead=_AFTER if w.after else _BEFORE)


@under("TF310", "pixel_cnn_pp/nn.py", _COUNTED)
@settings(timeout=900)
def go_on(w):
    w.script(*_TRAIN, "--save_dir=kept", "--load_params", ahead=_AFTER if w.after else _BEFORE)


@under("TF310", "pixel_cnn_pp/nn.py", _COUNTED)
@settings(timeout=900)
def train_by_class(w):
    w.script(*_TRAIN, "--save_dir=classes", "--class_conditional", "--dropout_p=0",
             ahead=_AFTER if w.after else _BEFORE)  # fmt: skip


@under("TF310", "pixel_cnn_pp/nn.py", _COUNTED)
@settings(timeout=900)
def train_energy(w):
    w.script(*_TRAIN, "--save_dir=energy", "--energy_distance", "--resnet_nonlinearity=elu",
             ahead=_AFTER if w.after else _BEFORE)  # fmt: skip
