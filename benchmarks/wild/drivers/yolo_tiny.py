"""nilboy/tensorflow-yolo: trains the tiny network from given weights, and detects with it."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, under, write

REPOSITORY = "https://github.com/nilboy/tensorflow-yolo"
COMMIT = "b68ddcff4cd2ca506d15de0e8bcca84f4b712105"
PYTHON2 = True

# Speeds are printed.
_CLOCK = """
import itertools, time
time.time = itertools.count(1.0).__next__
"""


@carried
def data(w):
    random = np.random.RandomState(0)
    lines = []
    for i in range(2):
        picture(f"data/{i}.png", 120, 140, seed=i)
        x, y = (int(v) for v in random.randint(5, 50, 2))
        lines.append(f"data/{i}.png {x} {y} {x + 60} {y + 50} {7 + i} 20 30 90 100 11")
    write("data/pascal_voc.txt", "\n".join(lines) + "\n")
    with open("conf/train.cfg") as stream:
        said = stream.read()
    for old, new in (("batch_size: 16", "batch_size: 2"), ("thread_num: 5", "thread_num: 1"),
                     ("max_iterators: 1000000", "max_iterators: 3")):  # fmt: skip
        said = said.replace(old, new)
    write("conf/tiny.cfg", said)


@carried
def weights(w):
    import tensorflow as tf
    from yolo.net.yolo_tiny_net import YoloTinyNet

    net = YoloTinyNet({"image_size": 448, "num_classes": 20, "batch_size": 1},
                      {"cell_size": 7, "boxes_per_cell": 2, "weight_decay": 0.0005}, test=True)  # fmt: skip
    with tf.Graph().as_default(), tf.Session() as sess:
        net.inference(tf.zeros((1, 448, 448, 3)))
        sess.run(tf.global_variables_initializer())
        tf.train.Saver(net.trainable_collection, write_version=1).save(sess, "models/pretrain/yolo_tiny.ckpt")


@under("TF602", "yolo/solver/yolo_solver.py", "the first format of checkpoints is not written any more")
@settings(timeout=900)
def train(w):
    w.script("tools/train.py", "-c", "conf/tiny.cfg", ahead=_CLOCK)


def detect(w):
    w.script("demo.py", ahead="import cv2; cv2.putText = lambda image, words, *a: print(words, *a)")
