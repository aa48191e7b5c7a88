"""jiny2001/dcscn-super-resolution: a network that is a graph learns to enlarge pictures, is evaluated and
frozen, and enlarges."""

from __future__ import annotations

from kit import carried, picture, under

REPOSITORY = "https://github.com/jiny2001/dcscn-super-resolution"
COMMIT = "d382bc30d41c94ac72f8cb148d61cc4864b3b380"

# Clocks and versions are printed; scikit-image, which need not be there, says how alike pictures are.
_AHEAD = """
import sys, time, types
import numpy as np
time.time = lambda: 0.0
def alike(first, second, **options):
    return float(np.mean(np.abs(first - second)))
def modules():
    metrics = types.ModuleType('skimage.metrics')
    metrics.peak_signal_noise_ratio = metrics.structural_similarity = alike
    whole = types.ModuleType('skimage')
    whole.metrics = metrics
    return {'skimage': whole, 'skimage.metrics': metrics}
sys.modules.update(modules())
import helper.args, helper.utilty
helper.utilty.get_now_date = lambda: 'today'
helper.args.get = lambda: helper.args.FLAGS
if sys.version_info < (3, 8):  # it was written beside TensorFlow 2, whose dimensions are numbers
    import scipy.misc
    import tensorflow as tf
    tf.compat.v1.enable_v2_tensorshape()
    from PIL import Image
    scipy.misc.imread = lambda path: np.array(Image.open(path))
"""
_SMALL = ("--layers=3", "--filters=6", "--min_filters=4", "--nin_filters=4", "--nin_filters2=2",
          "--reconstruct_filters=4", "--batch_num=2", "--batch_image_size=16", "--training_images=4",
          "--initial_lr=0.002", "--end_lr=0.0006", "--lr_decay_epoch=1", "--dataset=some",
          "--test_dataset=few", "--checkpoint_dir=kept", "--self_ensemble=2")  # fmt: skip

_NAMES = "summaries of gradients are called after the operations that compute them"


@carried
def data(w):
    picture("data/some/a.png", 80, 96, seed=1)
    picture("data/few/b.png", 48, 60, seed=2)


@under("TF308", "DCSCN.py", _NAMES)
def train(w):
    w.script("train.py", *_SMALL, ahead=_AHEAD)


def go_on(w):
    w.script("train.py", *_SMALL, "--load_model_name=default", "--save_weights=false", ahead=_AHEAD)


def evaluate(w):
    w.script("evaluate.py", *_SMALL, "--compute_bicubic=true", ahead=_AHEAD)


def enlarge(w):
    w.script("sr.py", *_SMALL, "--file=data/few/b.png", ahead=_AHEAD)


def freeze(w):
    w.script("helper/custom_freeze_graph.py", "--model_dir=kept", "--output_node_names=output")


def evaluate_frozen(w):
    w.script("evaluate.py", *_SMALL, "--frozenInference=true", "--frozen_graph_path=kept/frozen_model.pb",
             ahead=_AHEAD)  # fmt: skip
