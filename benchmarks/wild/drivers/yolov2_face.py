"""530824679/YOLOv2: makes records of faces, trains, also on weights of NumPy, and detects."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/530824679/YOLOv2"
COMMIT = "eff9ddbab58da970e7fb449cd1974fb810fd6023"

# The settings are a module. Pictures are smaller than the program's, layers narrower, and one picture is
# read at a time, since Python draws how it is changed; there is no camera and no window, and OpenCV's letters
# change with its version: what is drawn is printed. TensorFlow 1.15 takes no doubles for the floats that are
# announced, and OpenCV 5 moves pictures otherwise than 4 did. Adam's steps are tiny, since it makes whole
# ones of gradients that rounding alone left.
_SMALL = """
import os
from cfg import config
config.model_params.update(input_height=96, input_width=96, grid_height=3, grid_width=3,
                           anchors=[[12, 16], [20, 24], [27, 39], [40, 30], [60, 91]])
config.path_params.update(data_path='faces', tfrecord_dir='records', pretrain_weights='weights.npy')
config.solver_params.update(batch_size=2, epoches=3, pre_train=False, lr=1e-7)
import data.augmentation as changes
resized = changes.letterbox_resize
def letterbox_resize(*a, **k):
    image, boxes = resized(*a, **k)
    return image.astype('float32'), boxes
changes.letterbox_resize = letterbox_resize
changes.random_translate = lambda image, boxes: (image, boxes)
from model import ops
wide = ops.conv2d
def conv2d(inputs, filters_num, *a, **k):
    return wide(inputs, filters_num if filters_num % 32 else max(filters_num // 16, 4), *a, **k)
ops.conv2d = conv2d
import tensorflow as tf
map_ = tf.data.Dataset.map
tf.data.Dataset.map = lambda self, function, num_parallel_calls=None: map_(self, function)
import cv2
class Camera:
    left = 2
    def __init__(self, *a):
        pass
    def read(self):
        Camera.left -= 1
        if Camera.left < 0:
            raise SystemExit
        return True, cv2.imread('faces/images/%d.jpg' % Camera.left)
cv2.VideoCapture = Camera
cv2.imshow = lambda name, image: print(image.shape)
cv2.waitKey = lambda *a: -1
cv2.putText = lambda image, words, place, *a: print(words, place)
cv2.rectangle = lambda image, *a: print(a)
"""
_SIZES = [("416, 416, 3", "96, 96, 3"), ("13, 13, 5", "3, 3, 5")]


@carried
def data(w):
    random = np.random.RandomState(0)
    names = [str(i) for i in range(6)]
    for i, name in enumerate(names):
        picture(f"faces/images/{name}.jpg", 100, 130, seed=i)
        lines = []
        for _ in range(1 + i % 2):
            x, y = random.randint(40, 70, 2)
            lines.append(f"0 {x} {y} 50 44")
        write(f"faces/labels/{name}.txt", "\n".join(lines) + "\n")
    write("faces/trainval.txt", "\n".join(names) + "\n")
    write("records/.keep", "")
    write("checkpoints/.keep", "")


def records(w):
    w.script("-m", "data.tfrecord", ahead=_SMALL)


@settings(timeout=900)
def train(w):
    w.script("train.py", ahead=_SMALL, instead=_SIZES)


@carried
def weights(w):
    """Some of the network's weights, by name."""
    import tensorflow as tf

    exec(_SMALL, {})
    from model.network import Network

    with tf.Graph().as_default():
        Network(is_train=True).build_network(tf.zeros([1, 96, 96, 3]))
        random = np.random.RandomState(0)
        kept = {v.op.name: random.normal(0, 0.1, v.shape.as_list()).astype("f")
                for v in tf.trainable_variables()[:20]}  # fmt: skip
    np.save("weights.npy", kept)


@settings(timeout=900)
def train_on_weights(w):
    w.script("train.py", ahead=_SMALL + "config.path_params.update(checkpoints_dir='fine', logs_dir='fine')\n"
             "config.solver_params.update(pre_train=True, epoches=2)\n", instead=_SIZES)  # fmt: skip


@carried
@settings(timeout=900)
def trained_by_original(w):
    given = "config.path_params.update(checkpoints_dir='given', logs_dir='given')\n"
    w.script("train.py", ahead=_SMALL + given, instead=_SIZES)


_GIVEN = ("./checkpoints/model.ckpt-128", "./given/model.ckpt-2")


def detect_in_video(w):
    w.script("test.py", ahead=_SMALL, instead=[_GIVEN])


def detect(w):
    folder = "/home/chenwei/HDD/Project/datasets/object_detection/FDDB2016/convert/images/"
    w.script("test.py", ahead=_SMALL, instead=[
        _GIVEN, (folder + "2002_07_19_big_img_130.jpg", "faces/images/3.jpg"),
        ("\n    predict_video()", "\n    predict_image()")])  # fmt: skip
