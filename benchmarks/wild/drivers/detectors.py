"""Stick-To/Object-Detection-Tensorflow: detectors that are trained on records, saved, loaded and asked."""

from __future__ import annotations

import importlib

import numpy as np
from kit import carried, edit, picture, settings, under, write

REPOSITORY = "https://github.com/Stick-To/Object-Detection-Tensorflow"
COMMIT = "3580beef7bd3e795863cb2140e216abc7ef95562"

_XML = """<annotation><filename>{file}</filename><size><width>128</width><height>128</height><depth>3</depth>
</size><object><name>{name}</name><bndbox><xmin>{0}</xmin><ymin>{1}</ymin><xmax>{2}</xmax><ymax>{3}</ymax>
</bndbox></object></annotation>"""
_COMMON = {
    "num_classes": 20, "weight_decay": 1e-4, "keep_prob": 0.5, "data_format": "channels_last",
    "batch_size": 2, "nms_score_threshold": 0.1, "nms_max_boxes": 10, "nms_iou_threshold": 0.5,
}  # fmt: skip
_YOLO = {"coord_scale": 1, "noobj_scale": 1, "obj_scale": 5.0, "class_scale": 1.0}


@carried
def data(w):
    """One picture, with other boxes each time: see _trained."""
    random = np.random.RandomState(0)
    for i in range(4):
        picture(f"voc/images/{i}.jpg", 128, 128, seed=1)
        x, y = (int(v) for v in random.randint(5, 30, 2))
        kind = ("cat", "dog")[i % 2]
        write(f"voc/notes/{i}.xml", _XML.format(x, y, x + 40, y + 35, name=kind, file=f"{i}.jpg"))
    picture("asked.png", 128, 128, seed=1)
    from utils import tfrecord_voc_utils

    tfrecord_voc_utils.dataset2tfrecord("voc/notes", "voc/images", "records", "tiny", 1)


def _batches(size):
    import os

    from utils import tfrecord_voc_utils

    records = [os.path.join("records", name) for name in sorted(os.listdir("records"))]
    return tfrecord_voc_utils.get_generator(records, 2, 1, {
        "data_format": "channels_last", "output_shape": [size, size], "fill_mode": "BILINEAR",
        "keep_aspect_ratios": False, "constant_values": 0.0, "pad_truth_to": 60,
    })  # fmt: skip


def _trained(w, module, size, name, rate, **config):
    """With batch norm's own momentum, 0.99, the averages are next to nothing after four steps: a YOLO then
    gives every box the score 1 and sizes near infinity, among which any choice is as good (TF155). Fast
    averages, of the one picture that it is asked about later, let it find boxes of different scores; small
    steps keep what rounding does to them small."""
    old = "training=self.is_training\n        )\n        return bn"
    edit(f"{module}.py", old, old.replace("self.is_training", "self.is_training, momentum=0.1"))
    kind = getattr(importlib.import_module(module), module)
    net = kind({**_COMMON, **config, "mode": "train"}, {
        "data_shape": [size, size, 3], "num_train": 4, "num_val": 0, "train_generator": _batches(size),
        "val_generator": None,
    })  # fmt: skip
    w.dump(loss=[net.train_one_epoch(rate) for _ in range(2)])
    net.save_weight("latest", f"weights/{name}")


def _found(w, module, name, **config):
    from PIL import Image

    kind = getattr(importlib.import_module(module), module)
    net = kind({**_COMMON, **config, "mode": "test"}, None)
    net.load_weight(f"weights/{name}-4")
    image = np.asarray(Image.open("asked.png"), "f")[None]
    w.dump(found=[np.asarray(part) for part in net.test_one_image(image)])


_SECOND = {"data_shape": [128, 128, 3], "is_pretraining": False, "rescore_confidence": False, **_YOLO,
           "priors": [[1.08, 1.19], [3.42, 4.41], [6.63, 11.38], [9.42, 5.11], [16.62, 10.52]]}  # fmt: skip
_THIRD = {"data_shape": [128, 128, 3], "num_priors": 3, **_YOLO,
          "priors": [[[10.0, 13.0], [16, 30.0], [33.0, 23.0]], [[30.0, 61.0], [62.0, 45.0], [59.0, 119.0]],
                     [[116.0, 90.0], [156.0, 198.0], [373.0, 326.0]]]}  # fmt: skip
_CENTER = {"input_size": 128, "score_threshold": 0.1, "top_k_results_output": 10}


@settings(timeout=900)
def second_yolo(w):
    _trained(w, "YOLOv2", 128, "second", 1e-9, **_SECOND)


@settings(timeout=900)
def second_yolo_finds(w):
    _found(w, "YOLOv2", "second", **_SECOND)


@settings(timeout=1200)
def third_yolo(w):
    _trained(w, "YOLOv3", 128, "third", 1e-9, **_THIRD)


@under("TF155", "YOLOv3.py", "200 boxes share a few scores, and others of one score are kept")
@settings(timeout=900)
def third_yolo_finds(w):
    _found(w, "YOLOv3", "third", **_THIRD)


@settings(timeout=1200)
def centers(w):
    _trained(w, "CenterNet", 128, "centers", 1e-7, **_CENTER)


@settings(timeout=900)
def centers_finds(w):
    _found(w, "CenterNet", "centers", **_CENTER)
