"""YangZeyu95/unofficial-implement-of-openpose: trains from a queue that a thread fills, finds poses."""

from __future__ import annotations

import glob
import os

import numpy as np
from kit import carried, edit, picture, settings

REPOSITORY = "https://github.com/YangZeyu95/unofficial-implement-of-openpose"
COMMIT = "5c1b662b0f6e090aae3b802813a8b95bfc292532"

# tensorpack, slidingwindow and the module that SWIG compiles are not installed: what of them is not
# called stands in, and annotated pictures of COCO are random numbers.
_GIVEN = """
import sys, types
import numpy as np
sys.path.insert(0, '.')
class Standin(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return type(name, (Exception,), {})
for name in ('tensorpack', 'tensorpack.dataflow', 'tensorpack.dataflow.image', 'tensorpack.dataflow.common',
             'tensorpack.dataflow.parallel', 'tensorpack.dataflow.base', 'tensorpack.dataflow.imgaug',
             'tensorpack.dataflow.imgaug.geometry', 'slidingwindow', 'pafprocess.pafprocess'):
    sys.modules[name] = Standin(name)
class Flow:
    def size(self):
        return 2
    def reset_state(self):
        self.random = np.random.RandomState(0)
    def get_data(self):
        while True:
            yield [self.random.uniform(low, high, shape).astype('f') for low, high, shape in (
                (0, 255, (1, 368, 368, 3)), (0, 1, (1, 46, 46, 19)), (-1, 1, (1, 46, 46, 38)))]
import pose_dataset, pose_augment
pose_dataset.get_dataflow_batch = lambda *a, **k: Flow()
pose_dataset.CocoPose = None
import time
time.localtime = lambda *a: (2020, 1, 1, 0, 0, 0, 0, 1, 0)
"""
_STEPS = ("--batch_size=1", "--stage_num=2", "--max_echos=2", "--save_summary_frequency=2",
          "--save_checkpoint_frequency=2")  # fmt: skip


def _narrow():
    """A few of the filters that VGG and the stages have."""
    edit("vgg.py", " 4096, [", " 64, [")
    for filters in (512, 256, 128, 64):
        edit("vgg.py", f" {filters}, [3, 3]", f" {filters // 16}, [3, 3]")
    edit("cpm.py", "filters=128", "filters=16")


@carried
def data(w):
    picture("some.png", 90, 120, seed=1)


@settings(timeout=900)
def train(w):
    """There are no weights of VGG to begin with."""
    _narrow()
    os.makedirs("checkpoints/train")
    w.script("train.py", *_STEPS, "--checkpoint_path=checkpoints/train/", ahead=_GIVEN,
             instead=[("default='checkpoints/vgg/vgg_19.ckpt'", "default=None")])  # fmt: skip


@settings(timeout=900)
def go_on(w):
    w.script("train.py", *_STEPS, "--continue_training=1", "--checkpoint_path=" + _folder(),
             ahead=_GIVEN, instead=[("default='checkpoints/vgg/vgg_19.ckpt'", "default=None")])  # fmt: skip


@settings(timeout=900)
def find(w):
    w.script("run.py", "--image=some.png", "--checkpoint_path=" + _folder(),
             "--backbone_net_ckpt_path=" + _folder() + "/model-2", ahead=_GIVEN + _SHOWN,
             instead=[("PafNet(inputs_x=vgg_outputs,", "PafNet(stage_num=2, inputs_x=vgg_outputs,"),
                      ("hm_pre[5]", "hm_pre[1]"), ("cpm_pre[5]", "cpm_pre[1]")])  # fmt: skip


def _folder():
    return glob.glob("checkpoints/train/2020*")[0]


# What the network gives is kept; there is no window.
_SHOWN = """
import cv2, estimator
cv2.imshow = cv2.waitKey = lambda *a: None
def kept(peaks, heat, fields):
    np.savez('found.npz', peaks=peaks, heat=heat, fields=fields)
    return []
estimator.PoseEstimator.estimate_paf = staticmethod(kept)
"""


@settings(timeout=900)
def network(w):
    """The network with its own kind of batch norm, and both losses."""
    import tensorflow as tf
    from cpm import PafNet

    x = np.random.RandomState(0).uniform(-0.5, 0.5, (1, 12, 16, 8)).astype("f")

    def built(x):
        heats, fields, added = PafNet(inputs_x=x, use_bn=True, stage_num=2).gen_net()
        return {"heats": heats, "fields": fields, "added": added, "loss": tf.nn.l2_loss(heats[1])}

    w.dump(**w.call(built, x))
