"""brade31919/SRGAN-tensorflow: trains the generator, then both networks, goes on, and enlarges pictures."""

from __future__ import annotations

from kit import carried, edit, picture, settings

REPOSITORY = "https://github.com/brade31919/SRGAN-tensorflow"
COMMIT = "7f7ec0f929feb64a111221dc992f740cd48e11eb"

# lib/ops.py reads `keras` and does not import it; scipy.misc reads pictures no more. The rate that is printed
# goes by the clock.
_AHEAD = """
import builtins, tensorflow
builtins.keras = tensorflow.keras
import time
time.time = iter(range(100000)).__next__
import numpy, scipy.misc
from PIL import Image
scipy.misc.imread = lambda path, mode=None: numpy.array(Image.open(path).convert(mode))
"""
_SMALL = ("--batch_size=2", "--crop_size=12", "--input_dir_LR=pictures/LR", "--input_dir_HR=pictures/HR",
          "--num_resblock=2", "--name_queue_capacity=16", "--image_queue_capacity=8", "--queue_thread=1",
          "--display_freq=2", "--summary_freq=3", "--save_freq=4")


@carried
def pictures(w):
    for i in range(4):
        picture(f"pictures/LR/{i}.png", 20, 24, seed=i)
        picture(f"pictures/HR/{i}.png", 80, 96, seed=i)


def _here():
    """No GPU, and no list of all flags that absl knows."""
    edit("lib/model.py", "tf.device('/gpu:0')", "tf.device('/cpu:0')")
    edit("main.py", "print_configuration_op(FLAGS)", "")


def train_generator(w):
    _here()
    w.script("main.py", "--task=SRResnet", "--perceptual_mode=MSE", "--output_dir=resnet",
             "--summary_dir=resnet/log", "--max_iter=4", *_SMALL, ahead=_AHEAD)


@settings(timeout=1500)
def train(w):
    w.script("main.py", "--task=SRGAN", "--perceptual_mode=MSE", "--output_dir=gan", "--summary_dir=gan/log",
             "--max_iter=4", "--ratio=1", "--pre_trained_model=True", "--checkpoint=resnet/model-4", *_SMALL,
             ahead=_AHEAD)


@settings(timeout=1500)
def go_on(w):
    w.script("main.py", "--task=SRGAN", "--perceptual_mode=MSE", "--output_dir=gan_on",
             "--summary_dir=gan_on/log", "--max_iter=4", "--ratio=1", "--checkpoint=gan", *_SMALL,
             ahead=_AHEAD)


def test(w):
    w.script("main.py", "--task=SRGAN", "--mode=test", "--is_training=False", "--output_dir=tested",
             "--summary_dir=tested/log", "--checkpoint=gan/model-4", *_SMALL, ahead=_AHEAD)


def enlarge(w):
    w.script("main.py", "--task=SRGAN", "--mode=inference", "--is_training=False", "--output_dir=enlarged",
             "--summary_dir=enlarged/log", "--checkpoint=gan/model-4", *_SMALL, ahead=_AHEAD)
