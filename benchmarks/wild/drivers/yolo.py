"""hizhangp/yolo_tensorflow: trains the first YOLO on pictures with boxes, and detects."""

from __future__ import annotations

import glob
import os
import shutil

import numpy as np
from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/hizhangp/yolo_tensorflow"
COMMIT = "88aba9d5569c04170f294a093455390a90f2686e"

_SMALL = """
import yolo.config as cfg
cfg.IMAGE_SIZE, cfg.BATCH_SIZE, cfg.MAX_ITER, cfg.SUMMARY_ITER, cfg.SAVE_ITER = 128, 2, 6, 1, 6
cfg.LEARNING_RATE = 0.01
"""
_NO_TIME = [("'%Y_%m_%d_%H_%M'", "'now'")]  # folders are called by the minute
_XML = """<annotation><object><name>{name}</name><bndbox><xmin>{0}</xmin><ymin>{1}</ymin>
<xmax>{2}</xmax><ymax>{3}</ymax></bndbox></object></annotation>"""


@carried
def data(w):
    random = np.random.RandomState(0)
    top = "data/pascal_voc/VOCdevkit/VOC2007/"
    for i in range(4):
        picture(f"{top}JPEGImages/{i:06}.jpg", 128, 128, seed=i)
        x, y = (int(v) for v in random.randint(5, 60, 2))
        annotation = _XML.format(x, y, x + 50, y + 40, name=("dog", "cat")[i % 2])
        write(f"{top}Annotations/{i:06}.xml", annotation)
    write(f"{top}ImageSets/Main/trainval.txt", "\n".join(f"{i:06}" for i in range(4)) + "\n")


@settings(timeout=900)
def train(w):
    w.script("train.py", ahead=_SMALL, instead=_NO_TIME)
    # detection looks for its weights there
    os.makedirs("data/weights", exist_ok=True)
    for file in glob.glob("data/pascal_voc/output/*/yolo-6*"):
        shutil.copy(file, "data/weights/")


@carried
@settings(timeout=900)
def trained_by_original(w):
    w.script("train.py", ahead=_SMALL + "cfg.MAX_ITER = cfg.SAVE_ITER = 2; cfg.OUTPUT_DIR = 'before'")
    os.makedirs("data/weights", exist_ok=True)
    for file in glob.glob("before/*/yolo-2*"):
        shutil.copy(file, "data/weights/")


def go_on_from_original(w):
    w.script("train.py", "--data_dir=./data", "--weights=../../weights/yolo-2",
             ahead=_SMALL + "cfg.MAX_ITER = cfg.SAVE_ITER = 3", instead=_NO_TIME)  # fmt: skip


def detect(w):
    """With the original's weights; what is drawn is printed, and the picture kept."""
    w.script("test.py", "--weights=yolo-2", ahead=_SMALL + _SHOWN)


def detect_trained(w):
    w.script("test.py", "--weights=yolo-6", ahead=_SMALL + _SHOWN)


_SHOWN = """
cfg.THRESHOLD = 0.0001
import cv2
cv2.rectangle = lambda image, a, b, *rest: print(a, b)
cv2.putText = lambda image, words, *rest: print(words)
cv2.waitKey = lambda *a: None
cv2.imshow = lambda name, image: cv2.imwrite('shown.png', image)
"""
