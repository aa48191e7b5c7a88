"""thtrieu/darkflow: trains a small YOLO, goes on, predicts, and freezes it."""

from __future__ import annotations

import glob
import os
import pickle

from kit import carried, picture, write

REPOSITORY = "https://github.com/thtrieu/darkflow"
COMMIT = "eb7e830393f24233032b8578737141528be01d65"

# What finds boxes is compiled; this does the same in a plainer way.
_BOXES = """
import sys, types
import numpy as np
import cv2
cv2.putText = lambda *a, **k: None
def box_constructor(meta, out):
    from darkflow.utils.box import BoundBox
    H, W, _ = meta['out_size']
    out = out.reshape(H, W, meta['num'], -1)
    found = []
    for row in range(H):
        for column in range(W):
            for n in range(meta['num']):
                box = BoundBox(meta['classes'])
                got = out[row, column, n].astype(np.float64)
                box.x, box.y = (column + .5) / W, (row + .5) / H
                box.w, box.h = 1. / W, 1. / H
                box.c = 1. / (1. + np.exp(-got[4]))
                box.probs = np.exp(got[5:]) / np.exp(got[5:]).sum() * box.c
                found.append(box)
    return found
for name in ('cy_yolo2_findboxes', 'cy_yolo_findboxes'):
    made = types.ModuleType('darkflow.cython_utils.' + name)
    made.box_constructor = made.yolo_box_constructor = box_constructor
    sys.modules['darkflow.cython_utils.' + name] = made
"""
_CONVOLUTION = """[convolutional]
{norm}filters={filters}
size=3
stride=1
pad=1
activation={activation}

"""
_NET = "[net]\nbatch=2\nsubdivisions=1\nwidth=64\nheight=64\nchannels=3\n\n"
_POOL = "[maxpool]\nsize=2\nstride=2\n\n"
_REGION = """[region]
anchors = 1.08,1.19, 3.42,4.41
bias_match=1
classes=2
coords=4
num=2
softmax=1
jitter=.2
rescore=1
object_scale=5
noobject_scale=1
class_scale=1
coord_scale=1
absolute=1
thresh = .1
random=1
"""


def _flow(w, *argv, code=0):
    w.script("flow", "--model", "cfg/small.cfg", "--labels", "two.txt", *argv, ahead=_BOXES, code=code)


def _train(w, *argv):
    """Trains; what it pickled of the losses is compared as numbers: NumPy's scalars have other bytes."""
    _flow(w, *argv, code=1)  # it ends with exit("Training finished, exit.")
    for path in sorted(glob.glob("*/small-*.profile")):
        with open(path, "rb") as stream:
            w.dump(**{path: pickle.load(stream)})
        os.remove(path)


@carried
def data(w):
    layers = []
    for filters in (4, 8):
        layers.append(_CONVOLUTION.format(norm="batch_normalize=1\n", filters=filters, activation="leaky"))
        layers.append(_POOL)
    layers += [
        _CONVOLUTION.format(norm="batch_normalize=1\n", filters=4, activation="leaky"),
        "[reorg]\nstride=2\n\n",
        _CONVOLUTION.format(norm="", filters=14, activation="linear"),
    ]
    write("cfg/small.cfg", _NET + "".join(layers) + _REGION)
    write("two.txt", "cat\ndog\n")
    for i in range(4):
        picture(f"images/{i}.jpg", 64, 64, seed=i)
        label = ("cat", "dog")[i % 2]
        write(f"labels/{i}.xml", f"""<annotation><filename>{i}.jpg</filename>
<size><width>64</width><height>64</height><depth>3</depth></size>
<object><name>{label}</name><bndbox><xmin>{8 + i}</xmin><ymin>6</ymin><xmax>40</xmax><ymax>{40 + i}</ymax>
</bndbox></object></annotation>""")
    for i in range(2):
        picture(f"shown/{i}.jpg", 64, 64, seed=10 + i)


_TRAIN = ("--train", "--dataset", "images", "--annotation", "labels", "--batch", 2, "--epoch", 2,
          "--save", 4, "--summary", "logs/")  # fmt: skip


@carried
def train_original(w):
    _train(w, *_TRAIN, "--backup", "before/")


def train(w):
    _train(w, *_TRAIN, "--lr", 0.001)


def train_by_adam(w):
    _train(w, *_TRAIN[:-2], "--trainer", "adam", "--lr", 0.001, "--backup", "adam/")


def go_on(w):
    _train(w, *_TRAIN, "--load", -1)


def predict(w):
    _flow(w, "--load", -1, "--imgdir", "shown", "--json", "--threshold", 0.01)


def predict_of_original(w):
    _flow(w, "--load", 4, "--backup", "before/", "--imgdir", "shown", "--threshold", 0.01)


def freeze(w):
    _flow(w, "--load", -1, "--savepb", code=1)


def predict_frozen(w):
    w.script("flow", "--pbLoad", "built_graph/small.pb", "--metaLoad", "built_graph/small.meta",
             "--labels", "two.txt", "--imgdir", "shown", "--json", "--threshold", 0.01, ahead=_BOXES)
