"""ruiminshen/yolo-tf: makes records of COCO's annotations, and trains both versions of YOLO."""

from __future__ import annotations

import json

import numpy as np
from kit import carried, picture, write

REPOSITORY = "https://github.com/ruiminshen/yolo-tf"
COMMIT = "eae65c8071fe5069f5e3bb1e26f19a761b1b68bc"

# Nothing here reads VOC's annotations; several threads would fill the queue in any order.
_AHEAD = """
import multiprocessing, sys, types
multiprocessing.cpu_count = lambda: 1
sys.modules['bs4'] = types.ModuleType('bs4')
"""
_CONFIG = """[config]
model = {model}
basedir = base
[queue]
capacity = 4
min_after_dequeue = 1
[cache]
names = given/few
datasets = given/coco.tsv
[data_augmentation_full]
enable = {more}
[data_augmentation_resized]
enable = {more}
[{model}]
inference = tiny
width = 64
height = 64
anchors = config/yolo2/anchors/voc.tsv
"""


@carried
def data(w):
    """Two pictures with annotations, and settings."""
    write("given/few", "cat\ndog\nhen\n")
    write("given/coco.tsv", "root\tyear\ngiven/coco\t2014\n")
    images, found, draw = [], [], np.random.RandomState(0)
    for i in range(2):
        picture(f"given/coco/train2014/{i}.jpg", 80, 90, seed=i)
        images.append({"id": i, "file_name": f"{i}.jpg", "width": 90, "height": 80})
        for _ in range(2):
            box = [*map(float, draw.randint(2, 40, 2)), *map(float, draw.randint(10, 30, 2))]
            found.append({"id": len(found) + 1, "image_id": i, "category_id": 1 + len(found) % 3, "bbox": box,
                          "iscrowd": 0, "area": box[2] * box[3]})  # fmt: skip
    kinds = [{"id": i + 1, "name": name} for i, name in enumerate(("cat", "dog", "hen"))]
    write("given/coco/annotations/instances_train2014.json",
          json.dumps({"images": images, "annotations": found, "categories": kinds}))
    write("small.ini", _CONFIG.format(model="yolo2", more=0))
    write("more.ini", _CONFIG.format(model="yolo2", more=1))
    write("first.ini", _CONFIG.format(model="yolo", more=0))


def cache(w):
    w.script("cache.py", "-c", "config.ini", "small.ini", "-p", "train", "-v", ahead=_AHEAD)


def train(w):
    _train(w, "small.ini", "-s", "2")


def train_augmented(w):
    _train(w, "more.ini", "-s", "2", "-d")


def train_first(w):
    _train(w, "first.ini", "-s", "2")


def _train(w, settings, *options):
    w.script("train.py", "-c", "config.ini", settings, "-p", "train", "-b", "2", "-n", "logs", "-lr", "1e-3",
             "--level", "info", *options, ahead=_AHEAD)  # fmt: skip
