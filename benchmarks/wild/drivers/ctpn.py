"""eragonruan/text-detection-ctpn: trains on boxes of text, goes on, detects, freezes, detects frozen."""

from __future__ import annotations

import numpy as np
from kit import carried, edit, picture, settings, under, write

REPOSITORY = "https://github.com/eragonruan/text-detection-ctpn"
COMMIT = "c04a571e2593fc361c1aff3127e58dc13fdc4e5a"

# Narrow layers; what is compiled is said in numpy; speeds are printed, letters are OpenCV's.
_SMALL = """
import itertools, sys, time, types
time.time = itertools.count(1.0).__next__
time.strftime = lambda *args: 'then'
import numpy as np
np.random.seed(0)
compiled = types.ModuleType('lib.utils.bbox')
def shared(boxes, others):
    a, b = boxes[:, None], others[None]
    sides = np.minimum(a[..., 2:4], b[..., 2:4]) - np.maximum(a[..., :2], b[..., :2]) + 1
    both = np.prod(np.maximum(sides, 0), -1)
    areas = [np.prod(x[..., 2:4] - x[..., :2] + 1, -1) for x in (a, b)]
    return both, areas
def bbox_overlaps(boxes, others):
    both, areas = shared(boxes, others)
    return both / (areas[0] + areas[1] - both)
def bbox_intersections(boxes, others):
    both, areas = shared(boxes, others)
    return both / areas[0]
compiled.bbox_overlaps, compiled.bbox_intersections = bbox_overlaps, bbox_intersections
given = np.load
np.load = lambda path, allow_pickle=True, **others: given(path, allow_pickle=True, **others)
import yaml
load = yaml.load
yaml.load = lambda stream, Loader=yaml.SafeLoader: load(stream, Loader)  # before PyYAML 6
from tensorflow.python.ops import gen_logging_ops
gen_logging_ops._image_summary = gen_logging_ops.image_summary  # its name before TensorFlow 1.4
sys.path.insert(0, '.')
sys.modules['lib.utils.bbox'] = compiled
from lib.fast_rcnn.config import cfg
cfg.TRAIN.BBOX_INSIDE_WEIGHTS = cfg.TRAIN.RPN_BBOX_INSIDE_WEIGHTS = [1.0] * 4  # as the file has it
cfg.TRAIN.SCALES = cfg.TEST.SCALES = (128,)
from lib.text_connector.text_connect_cfg import Config
Config.SCALE = 128
from lib.networks.network import Network
conv, rows, full = Network.conv, Network.Bilstm, Network.lstm_fc
Network.conv = lambda self, h, w, o, *a, **k: conv(self, h, w, o // 8, *a, **k)
Network.Bilstm = lambda self, i, h, o, **k: rows(self, i // 8, h // 8, o // 8, **k)
Network.lstm_fc = lambda self, i, o, **k: full(self, i // 8, o, **k)
"""


@carried
def data(w):
    import os

    if os.path.islink("data/VOCdevkit2007"):
        os.unlink("data/VOCdevkit2007")
    names = []
    for i in range(2):
        names.append(f"{i:06d}")
        base = "data/VOCdevkit2007/VOC2007/"
        picture(f"{base}JPEGImages/{names[-1]}.jpg", 128, 160, seed=i)
        pieces = "".join(
            f"<object><name>text</name><difficult>0</difficult><bndbox><xmin>{x}</xmin><ymin>{30 + i}</ymin>"
            f"<xmax>{x + 15}</xmax><ymax>{52 + i}</ymax></bndbox></object>" for x in (32, 48, 64, 80))
        write(f"{base}Annotations/{names[-1]}.xml", f"<annotation>{pieces}</annotation>")
    write(base + "ImageSets/Main/trainval.txt", "\n".join(names) + "\n")
    picture("data/demo/one.png", 128, 160, seed=5)
    random = np.random.RandomState(0)
    weights = {"conv1_1": {"weights": random.normal(0, 0.1, (3, 3, 3, 8)).astype("f"),
                           "biases": np.full(8, 0.1, "f")},
               "fc9": {"weights": np.zeros(3, "f")}}  # fmt: skip
    os.makedirs("data/pretrain")
    with open("data/pretrain/VGG_imagenet.npy", "wb") as stream:
        np.save(stream, np.asarray(weights, object))
    for old, new in (("max_steps: 50000", "max_steps: 3"), ("SNAPSHOT_ITERS: 1000", "SNAPSHOT_ITERS: 2"),
                     ("DISPLAY: 10", "DISPLAY: 1"), ("STEPSIZE: 30000", "STEPSIZE: 2"),
                     ("checkpoints_path: checkpoints/",
                      "checkpoints_path: output/ctpn_end2end/voc_2007_trainval")):  # fmt: skip
        edit("ctpn/text.yml", old, new)


@settings(timeout=900)
def train(w):
    w.script("ctpn/train_net.py", ahead=_SMALL)


@settings(timeout=900)
def go_on(w):
    edit("ctpn/text.yml", "restore: 0", "restore: 1")
    edit("ctpn/text.yml", "max_steps: 3", "max_steps: 5")
    edit("ctpn/text.yml", "SOLVER: Adam", "SOLVER: Momentum")
    w.script("ctpn/train_net.py", ahead=_SMALL)


def detect(w):
    # its function of the graph is given bytes, which were a string in Python 2
    w.script("ctpn/demo.py", ahead=_SMALL + "dict.__setitem__(cfg, b'TEST', cfg['TEST'])\n")


@under("TF308", "ctpn/generate_pb.py", "it prints the names of all operations")
def freeze(w):
    w.script("ctpn/generate_pb.py", ahead=_SMALL)


def detect_frozen(w):
    w.script("ctpn/demo_pb.py", ahead=_SMALL)
