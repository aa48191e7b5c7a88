"""YunYang1994/tensorflow-yolov3: trains in stages, evaluates averaged weights, freezes, detects."""

from __future__ import annotations

import glob
import shutil

import numpy as np
from kit import carried, picture, settings, under, write

REPOSITORY = "https://github.com/YunYang1994/tensorflow-yolov3"
COMMIT = "03cb272af2e26d598c553f3a2d38024fc6f67a0b"

# Every layer has a sixteenth of its filters.
_SMALL = """
import sys
sys.path.insert(0, '.')
import core.common as common
def smaller(x, filters_shape, *args, **kwargs):
    height, width, before, after = filters_shape
    shape = [height, width, before if before == 3 else before // 16, after if after % 16 else after // 16]
    return whole(x, shape, *args, **kwargs)
whole, common.convolutional = common.convolutional, smaller
from core.config import cfg
cfg.YOLO.CLASSES = 'data/tiny.names'
cfg.TRAIN.ANNOT_PATH, cfg.TEST.ANNOT_PATH = 'data/train.txt', 'data/test.txt'
cfg.TRAIN.INPUT_SIZE, cfg.TRAIN.BATCH_SIZE, cfg.TEST.INPUT_SIZE = [64], 2, 64
cfg.TRAIN.LEARN_RATE_INIT = 1e-3
cfg.TRAIN.FISRT_STAGE_EPOCHS, cfg.TRAIN.SECOND_STAGE_EPOCHS = 1, 1
cfg.TEST.SCORE_THRESHOLD, cfg.TEST.WRITE_IMAGE = 0.1, False
"""
# Names have the loss in them, and times are printed.
_NAMES = [("yolov3_test_loss=%.4f.ckpt\" % test_epoch_loss", "yolov3.ckpt\""),
          ("log_time = ", "log_time = 'now' or ")]


@carried
def data(w):
    random = np.random.RandomState(0)
    write("data/tiny.names", "cat\ndog\nhen\n")
    for name, count in (("train", 4), ("test", 2)):
        lines = []
        for i in range(count):
            path = f"data/{name}{i}.png"
            picture(path, 80, 96, seed=i)
            boxes = []
            for kind in range(2):
                x, y = random.randint(4, 30, 2)
                boxes.append(f"{x},{y},{x + 36},{y + 30},{kind}")
            lines.append(" ".join([path, *boxes]))
        write(f"data/{name}.txt", "\n".join(lines) + "\n")


_OPEN = ("TF310", "train.py", "the rate is read before or after the step is counted, as it comes")


@under(*_OPEN)
@settings(timeout=900)
def train(w):
    """From nothing: there are no weights to begin with, and the first stage is left out."""
    w.script("train.py", ahead=_SMALL, instead=_NAMES)


@carried
@settings(timeout=900)
def trained_by_original(w):
    w.script("train.py", ahead=_SMALL, instead=_NAMES)
    for file in glob.glob("checkpoint/yolov3.ckpt-1*"):
        shutil.copy(file, file.replace("yolov3.ckpt-1", "yolov3_coco_demo.ckpt"))
        shutil.copy(file, file.replace("yolov3.ckpt-1", "given.ckpt"))
    shutil.rmtree("data/log")


@under(*_OPEN)
@settings(timeout=900)
def go_on_from_original(w):
    """The heads alone first, then everything."""
    w.script("train.py", ahead=_SMALL, instead=_NAMES)


def evaluate(w):
    w.script("evaluate.py", ahead=_SMALL + "cfg.TEST.WEIGHT_FILE = 'checkpoint/given.ckpt'")


@carried
def bare(w):
    """Weights of another graph that has the network's shapes in the network's order."""
    import tensorflow as tf

    exec(_SMALL, {})
    from core.yolov3 import YOLOV3

    random = np.random.RandomState(0)
    with tf.Graph().as_default():
        YOLOV3(tf.zeros([1, 64, 64, 3]), False)
        shapes = [v.shape.as_list() for v in tf.global_variables()]
    with tf.Graph().as_default(), tf.Session() as sess:
        for i, shape in enumerate(shapes):
            with tf.variable_scope(f"layer_{i}"):
                tf.get_variable("weights", initializer=random.uniform(0.01, 0.2, shape).astype("f"))
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, "checkpoint/bare.ckpt")


@settings(timeout=900)
def rename(w):
    """Takes over another graph's weights by their order."""
    w.script("convert_weight.py", ahead=_SMALL + """
cfg.YOLO.ORIGINAL_WEIGHT, cfg.YOLO.DEMO_WEIGHT = 'checkpoint/bare.ckpt', 'checkpoint/renamed.ckpt'
""")


def freeze(w):
    w.script("freeze_graph.py", ahead=_SMALL)


def detect_frozen(w):
    w.script("image_demo.py", ahead=_SMALL + _SHOWN,
             instead=[("./docs/images/road.jpeg", "data/test0.png"),
                      ("num_classes     = 80", "num_classes = 3"),
                      ("input_size      = 416", "input_size = 64"), (", 0.3)", ", 0.05)")])  # fmt: skip


_SHOWN = """
import cv2
from PIL import Image
cv2.putText = lambda image, words, *a, **k: print(words)
cv2.getTextSize = lambda *a, **k: ((40, 8), 0)
Image.Image.show = lambda self: self.save('shown.png')
"""
