"""endernewton/tf-faster-rcnn: trains a small detector, goes on from a snapshot, and evaluates it."""

from __future__ import annotations

import os

from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/endernewton/tf-faster-rcnn"
COMMIT = "b4da911705925ec00e8359b76a2d7260f6d1d314"

# What is compiled there, in a plainer way.
_COMPILED = """
import os, pickle, sys, time, types, uuid, yaml
import numpy as np
dump = pickle.dump  # the original pickles to a text file
pickle.dump = lambda value, stream, *a, **k: dump(value, getattr(stream, 'buffer', stream), *a, **k)
time.time = lambda: 1e9  # which pictures it validates on is drawn by the time
yaml.load = lambda s, Loader=yaml.SafeLoader, _load=yaml.load: _load(s, Loader)  # as before PyYAML 6
sys.path[:0] = [os.path.abspath('lib'), os.path.abspath('tools')]
uuid.uuid4 = lambda: uuid.UUID(int=1)
def bbox_overlaps(boxes, others):
    b, o = boxes[:, None], others
    width = (np.minimum(b[..., 2], o[:, 2]) - np.maximum(b[..., 0], o[:, 0]) + 1).clip(0)
    height = (np.minimum(b[..., 3], o[:, 3]) - np.maximum(b[..., 1], o[:, 1]) + 1).clip(0)
    areas = [(b[:, 2] - b[:, 0] + 1) * (b[:, 3] - b[:, 1] + 1) for b in (boxes, others)]
    shared = width * height
    return shared / (areas[0][:, None] + areas[1] - shared)
from nms.py_cpu_nms import py_cpu_nms
for name, values in (('utils.cython_bbox', {'bbox_overlaps': bbox_overlaps}),
                     ('nms.gpu_nms', {'gpu_nms': lambda dets, thresh, **k: py_cpu_nms(dets, thresh)}),
                     ('nms.cpu_nms', {'cpu_nms': py_cpu_nms})):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(values)
import utils
utils.cython_bbox = sys.modules['utils.cython_bbox']
"""
_SET = ["ANCHOR_SCALES", "[2,4]", "TRAIN.SCALES", "(96,)", "TEST.SCALES", "(96,)", "TRAIN.MAX_SIZE", 128,
        "TRAIN.BATCH_SIZE", 16, "TRAIN.RPN_PRE_NMS_TOP_N", 200, "TRAIN.RPN_POST_NMS_TOP_N", 40,
        "TEST.RPN_PRE_NMS_TOP_N", 100, "TEST.RPN_POST_NMS_TOP_N", 10, "TRAIN.SNAPSHOT_ITERS", 2,
        "TRAIN.DISPLAY", 1, "MOBILENET.DEPTH_MULTIPLIER", 0.25]  # fmt: skip
_NET = ("--cfg", "experiments/cfgs/mobile.yml", "--net", "mobile")
_WEIGHTS = "data/imagenet_weights/mobile.ckpt"


@carried
def data(w):
    folder = "data/VOCdevkit2007/VOC2007/"
    for i in range(6):
        picture(f"{folder}JPEGImages/{i:06}.jpg", 96, 128, seed=i)
        objects = "".join(
            f"<object><name>{n}</name><pose>x</pose><truncated>0</truncated><difficult>0</difficult><bndbox>"
            f"<xmin>{8 + 4 * i}</xmin><ymin>{6 + 9 * k}</ymin>"
            f"<xmax>{60 + 6 * i}</xmax><ymax>{50 + 9 * k}</ymax>"
            "</bndbox></object>" for k, n in enumerate(("cat", "dog"))
        )  # fmt: skip
        write(f"{folder}Annotations/{i:06}.xml", f"<annotation>{objects}</annotation>")
    write("data/VOCdevkit2007/results/VOC2007/Main/readme.txt", "what was found")
    write(folder + "ImageSets/Main/trainval.txt", "000000\n000001\n000002\n000003\n")
    write(folder + "ImageSets/Main/test.txt", "000004\n000005\n")


@carried
def pretrained(w):
    """Weights of a classifier, which the detector begins with."""
    import sys

    sys.path[:0] = ["lib"]
    exec(_COMPILED, {})
    import numpy as np
    import tensorflow as tf
    from model.config import cfg
    from nets.mobilenet_v1 import mobilenetv1

    cfg.MOBILENET.DEPTH_MULTIPLIER = 0.25
    draw = np.random.RandomState(0)
    os.makedirs(os.path.dirname(_WEIGHTS))
    with tf.Graph().as_default(), tf.Session() as sess:
        mobilenetv1().create_architecture("TEST", 21, tag="default", anchor_scales=(2, 4))
        kept = [v for v in tf.global_variables() if "Conv2d" in v.name]
        sess.run(tf.global_variables_initializer())
        for v in kept:  # as large as a trained one's: else all boxes have the same score to the last digit
            if v.name.endswith("weights:0"):
                inputs = np.prod(v.shape[:2 if "depthwise" in v.name else 3].as_list())
                v.load(draw.normal(0, np.sqrt(4 / inputs), v.shape).astype("f"))
        tf.train.Saver(kept).save(sess, _WEIGHTS, write_meta_graph=False)


@settings(timeout=900)
def train(w):
    w.script("tools/trainval_net.py", *_NET, "--weight", _WEIGHTS, "--iters", 3, "--tag", "small",
             "--set", *_SET, ahead=_COMPILED)  # fmt: skip


@settings(timeout=900)
def go_on(w):
    w.script("tools/trainval_net.py", *_NET, "--weight", _WEIGHTS, "--iters", 5, "--tag", "small",
             "--set", *_SET, ahead=_COMPILED)  # fmt: skip


@settings(timeout=900)
def evaluate(w):
    w.script("tools/test_net.py", *_NET, "--imdb", "voc_2007_test", "--tag", "small", "--model",
             "output/mobile/voc_2007_trainval/small/mobile_faster_rcnn_iter_5.ckpt",
             "--set", *_SET, ahead=_COMPILED)  # fmt: skip
