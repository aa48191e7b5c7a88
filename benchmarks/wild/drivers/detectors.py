"""Stick-To/Object-Detection-Tensorflow: detectors that are trained on records, saved, loaded and asked."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, write

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
    random = np.random.RandomState(0)
    for i in range(4):
        picture(f"voc/images/{i}.jpg", 128, 128, seed=i)
        x, y = (int(v) for v in random.randint(5, 30, 2))
        kind = ("cat", "dog")[i % 2]
        write(f"voc/notes/{i}.xml", _XML.format(x, y, x + 40, y + 35, name=kind, file=f"{i}.jpg"))
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


def _trained(w, kind, size, name, **config):
    net = kind({**_COMMON, **config, "mode": "train"}, {
        "data_shape": [size, size, 3], "num_train": 4, "num_val": 0, "train_generator": _batches(size),
        "val_generator": None,
    })  # fmt: skip
    w.dump(loss=[net.train_one_epoch(1e-4) for _ in range(2)])
    net.save_weight("latest", f"weights/{name}")


def _found(w, kind, size, name, **config):
    net = kind({**_COMMON, **config, "mode": "test"}, None)
    net.load_weight(f"weights/{name}-4")
    image = np.random.RandomState(1).uniform(0, 255, (1, size, size, 3)).astype("f")
    w.dump(found=[np.asarray(part) for part in net.test_one_image(image)])


_SECOND = {"data_shape": [128, 128, 3], "is_pretraining": False, "rescore_confidence": False, **_YOLO,
           "priors": [[1.08, 1.19], [3.42, 4.41], [6.63, 11.38], [9.42, 5.11], [16.62, 10.52]]}  # fmt: skip
_THIRD = {"data_shape": [128, 128, 3], "num_priors": 3, **_YOLO,
          "priors": [[[10.0, 13.0], [16, 30.0], [33.0, 23.0]], [[30.0, 61.0], [62.0, 45.0], [59.0, 119.0]],
                     [[116.0, 90.0], [156.0, 198.0], [373.0, 326.0]]]}  # fmt: skip
_CENTER = {"input_size": 128, "score_threshold": 0.1, "top_k_results_output": 10}


@settings(timeout=900)
def second_yolo(w):
    from YOLOv2 import YOLOv2

    _trained(w, YOLOv2, 128, "second", **_SECOND)


@settings(timeout=900)
def second_yolo_finds(w):
    from YOLOv2 import YOLOv2

    _found(w, YOLOv2, 128, "second", **_SECOND)


@settings(timeout=1200)
def third_yolo(w):
    from YOLOv3 import YOLOv3

    _trained(w, YOLOv3, 128, "third", **_THIRD)


@settings(timeout=900)
def third_yolo_finds(w):
    from YOLOv3 import YOLOv3

    _found(w, YOLOv3, 128, "third", **_THIRD)


@settings(timeout=1200)
def centers(w):
    from CenterNet import CenterNet

    _trained(w, CenterNet, 128, "centers", **_CENTER)


@settings(timeout=900)
def centers_finds(w):
    from CenterNet import CenterNet

    _found(w, CenterNet, 128, "centers", **_CENTER)
