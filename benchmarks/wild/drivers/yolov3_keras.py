"""qqwweee/keras-yolo3 (Keras 2.2.4 before): trains the tiny network from weights, its loss, and its boxes."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, under, write

REPOSITORY = "https://github.com/qqwweee/keras-yolo3"
COMMIT = "e6598d13c703029b2686bc2eb8d5c09badf42992"

# The generators' threads draw from the program's own numbers; Adam of Keras 2 on TensorFlow 1.15 counts
# its steps before or after it asks for their number.
_SMALL = [
    ("input_shape = (416,416)", "input_shape = (64,64)"), ("'model_data/yolo_anchors.txt'", "'tiny.txt'"),
    ("batch_size = 32", "batch_size = 2"), ("epochs=50,", "epochs=3,"), ("epochs=100,", "epochs=5,"),
    ("initial_epoch=50", "initial_epoch=3"), ("np.random.seed(None)", "np.random.seed(1)"),
    ("val_split = 0.1", "val_split = 0.34"), ("np.random.shuffle(annotation_lines)", "pass"),
]
_SGD = """
import yolo3.utils
drawn = yolo3.utils.get_random_data
yolo3.utils.get_random_data = lambda line, shape, random: drawn(line, shape, random=False)
import os, keras.optimizers
os.makedirs('logs/000', exist_ok=True)
class Adam(keras.optimizers.SGD):
    def __init__(self, rate=0.0, lr=0.0, learning_rate=0.0):
        super(Adam, self).__init__(rate or lr or learning_rate)
keras.optimizers.Adam = Adam
"""


@carried
def data(w):
    random = np.random.RandomState(0)
    lines = []
    for i in range(6):
        picture(f"pictures/{i}.jpg", 60, 80, seed=i)
        boxes = []
        for _ in range(2):
            x, y = random.randint(0, 40), random.randint(0, 30)
            right, low = x + random.randint(10, 40), y + random.randint(10, 30)
            boxes.append(f"{x},{y},{right},{low},{random.randint(20)}")
        lines.append(" ".join([f"pictures/{i}.jpg", *boxes]))
    write("train.txt", "\n".join(lines) + "\n")
    write("tiny.txt", "4,5, 7,9, 12,13, 20,22, 30,40, 50,48\n")


@carried
def weights(w):
    from keras.layers import Input
    from yolo3.model import tiny_yolo_body

    np.random.seed(0)
    body = tiny_yolo_body(Input((None, None, 3)), 3, 20)
    body.set_weights([
        np.random.uniform(0.5, 1, v.shape) if v.ndim == 1 else np.random.normal(0, 0.05, v.shape)
        for v in body.get_weights()
    ])
    body.save_weights("model_data/tiny_yolo_weights.h5")


@under("TF316", "yolo3/model.py", "its moving averages were those of the batches since training began")
@under("TF315", "train.py", "the frozen part's batch normalizations go by their moving statistics")
@settings(timeout=1800)
def train(w):
    w.script("train.py", ahead=_SGD, instead=_SMALL)


def boxes(w):
    from yolo3.model import box_iou, yolo_boxes_and_scores, yolo_correct_boxes

    random = np.random.RandomState(0)
    feats = random.normal(size=(1, 2, 2, 75)).astype("f")
    anchors = np.asarray([[20, 22], [30, 40], [50, 48]], "f")
    size, shape = np.asarray([64, 64], "f"), np.asarray([60, 80], "f")
    w.dump(found=w.call(lambda f, a, b: yolo_boxes_and_scores(f, anchors, 20, a, b), feats, size, shape),
           right=w.call(yolo_correct_boxes, feats[..., :2], feats[..., 2:4], size, shape),
           shared=w.call(box_iou, feats[0, ..., :4] ** 2, feats[0, 0, :, 4:8] ** 2))  # fmt: skip


def loss(w):
    from yolo3.model import preprocess_true_boxes, yolo_loss

    random = np.random.RandomState(0)
    anchors = np.asarray([[4, 5], [7, 9], [12, 13], [20, 22], [30, 40], [50, 48]], "f")
    given = np.zeros((2, 20, 5), "f")
    given[:, 0] = [10, 12, 40, 44, 3]
    given[1, 1] = [2, 3, 12, 15, 7]
    true = preprocess_true_boxes(given, (64, 64), anchors, 20)
    outputs = [random.normal(size=(*y.shape[:3], 75)).astype("f") for y in true]
    w.dump(true=list(true), loss=w.call(lambda *all: yolo_loss(list(all), anchors, 20), *outputs, *true))
