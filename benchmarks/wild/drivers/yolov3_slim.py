"""mystic123/tensorflow-yolo-v3: converts Darknet's weights, freezes, and detects."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, write

REPOSITORY = "https://github.com/mystic123/tensorflow-yolo-v3"
COMMIT = "5e7a259e39a12e3d0c2d943c61e993b1c4b294aa"

_COMMON = ("--class_names=tiny.names", "--data_format=NHWC")
# Clocks are printed, and what Pillow draws changes with its version: what is drawn is printed.
_SHOWN = """
import time
time.time = lambda: 0.0
from PIL import ImageDraw
ImageDraw.ImageDraw.text = lambda self, place, words, **k: print(words)
ImageDraw.ImageDraw.rectangle = lambda self, box, **k: print(['%.2f' % float(x) for x in box])
"""


@carried
def data(w):
    """Names, a picture, and weights in Darknet's format: the tiny network's first ones, with other biases."""
    import tensorflow as tf
    import yolo_v3_tiny

    write("tiny.names", "cat\ndog\nhen\n")
    picture("some.png", 120, 90, seed=3)
    with tf.Graph().as_default(), tf.Session() as sess:
        yolo_v3_tiny.yolo_v3_tiny(tf.zeros([1, 64, 64, 3]), 3, data_format="NHWC")
        sess.run(tf.global_variables_initializer())
        values = {v.op.name: sess.run(v) for v in tf.global_variables()}
    draw = np.random.RandomState(1)
    for name in sorted(values):  # else all boxes have one score, and rounding says which come first
        if name.endswith(("/biases", "/beta")):
            values[name] = draw.normal(0, 2, values[name].shape)
    with open("tiny.weights", "wb") as stream:
        np.zeros(5, np.int32).tofile(stream)
        for kernel in [name for name in values if name.endswith("/weights")]:
            layer = kernel.rpartition("/")[0]
            norm = [f"{layer}/BatchNorm/{n}" for n in ("beta", "gamma", "moving_mean", "moving_variance")]
            for name in norm if norm[0] in values else [layer + "/biases"]:
                values[name].astype("f").tofile(stream)
            values[kernel].transpose(3, 2, 0, 1).astype("f").tofile(stream)


def convert(w):
    w.script("convert_weights.py", "--tiny", "--weights_file=tiny.weights", *_COMMON)


def detect(w):
    w.script("demo.py", "--tiny", "--input_img=some.png", "--output_img=found.png", "--conf_threshold=0.501",
             *_COMMON, ahead=_SHOWN)  # fmt: skip


def freeze(w):
    w.script("convert_weights_pb.py", "--tiny", "--weights_file=tiny.weights", *_COMMON)


def detect_frozen(w):
    w.script("demo.py", "--input_img=some.png", "--output_img=frozen.png", "--conf_threshold=0.501",
             "--frozen_model=frozen_darknet_yolov3_model.pb", *_COMMON, ahead=_SHOWN)  # fmt: skip


def network(w):
    """Both sizes of network, small pictures, in both modes."""
    import yolo_v3
    import yolo_v3_tiny
    from utils import detections_boxes

    x = np.random.RandomState(0).uniform(0, 255, (1, 64, 64, 3)).astype("f")
    for name, model in (("tiny", yolo_v3_tiny.yolo_v3_tiny), ("spp", yolo_v3.yolo_v3_spp)):
        for training in (False, True):
            def built(x, model=model, training=training):
                return detections_boxes(model(x, 3, is_training=training, data_format="NHWC"))

            w.dump(**{f"{name}_{training}": w.call(built, x)})
