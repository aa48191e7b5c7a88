"""ahmetozlu/tensorflow_object_counting_api: counts and tracks what a frozen detector finds in films."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, picture

REPOSITORY = "https://github.com/ahmetozlu/tensorflow_object_counting_api"
COMMIT = "630a1471a1aa19e582d09898f569c5eea031a21d"

_MODEL = "ssd_mobilenet_v1_coco_2018_01_28"
# Films are single pictures here, since codecs and letters change with the versions of OpenCV and Pillow.
_AHEAD = """
import cv2, numpy as np
cv2.putText = lambda image, words, *a, **k: print(words)
cv2.imshow, cv2.destroyAllWindows, cv2.waitKey = lambda *a: None, lambda: None, lambda delay: 0
class VideoWriter:
    def __init__(self, path, *settings):
        self.path, self.frames = path, 0
    def write(self, frame):
        np.save('%s-%d.npy' % (self.path, self.frames), frame)
        self.frames += 1
cv2.VideoWriter, cv2.VideoWriter_fourcc = VideoWriter, lambda *letters: 0
film = cv2.VideoCapture
class VideoCapture:
    def __init__(self, path):
        self.film = film('film/%03d.png')
    def __getattr__(self, name):
        return getattr(self.film, name)
cv2.VideoCapture = VideoCapture
from PIL import ImageDraw, ImageFont
class Font:
    def getsize(self, words):
        return 6 * len(words), 11
    def getbbox(self, words):
        return 0, 0, 6 * len(words), 11
ImageFont.truetype = lambda *a: Font()
ImageDraw.ImageDraw.text = lambda self, place, words, *a, **k: print(words)
"""


@carried
def data(w):
    """A film of three pictures, and a frozen graph that finds boxes by the colours of places."""
    import tensorflow as tf

    for i in range(3):
        picture(f"film/{i:03d}.png", 480, 640, seed=i)
    random = np.random.RandomState(0)

    def layer(size, count):
        return tf.constant(random.normal(0, 2.0, (4, 4, 8, size * count)).astype("f"))

    with tf.Graph().as_default() as graph:
        images = tf.placeholder(tf.uint8, [None, None, None, 3], name="image_tensor")
        small = tf.image.resize_bilinear(tf.cast(images, tf.float32) / 127.5 - 1, [16, 16])
        kernel = tf.constant(random.normal(0, 1, (3, 3, 3, 8)).astype("f"))
        features = tf.nn.relu6(tf.nn.conv2d(small, kernel, [1, 1, 1, 1], "SAME"))
        corners = tf.reshape(tf.nn.conv2d(features, layer(4, 1), [1, 4, 4, 1], "SAME"), [1, 16, 4])
        y, x, height, width = tf.unstack(tf.sigmoid(corners / 20), axis=2)
        tf.stack([y * 0.5, x * 0.5, y * 0.5 + height * 0.5, x * 0.5 + width * 0.5], 2, name="detection_boxes")
        chances = tf.reshape(tf.nn.conv2d(features, layer(12, 1), [1, 4, 4, 1], "SAME"), [1, 16, 12])
        tf.reduce_max(tf.nn.sigmoid(chances / 20), 2, name="detection_scores")
        tf.add(tf.cast(tf.argmax(chances, 2), tf.float32), 1.0, name="detection_classes")
        tf.constant([16.0], name="num_detections")
        for folder in (_MODEL, "custom_frozen_inference_graph"):
            tf.io.write_graph(graph, folder, "frozen_inference_graph.pb", as_text=False)


def _script(w, name, *instead):
    os.makedirs("detected_objects", exist_ok=True)
    w.script(name, ahead=_AHEAD, instead=instead)


def vehicles(w):
    """Whatever crosses a line, with its colour."""
    _script(w, "vehicle_counting.py", ("deviation = 4.5", "deviation = 60"))


def pedestrians(w):
    _script(w, "pedestrian_counting.py", ("deviation = 1 ", "deviation = 90 "))


def everything(w):
    _script(w, "real_time_counting.py")


def one_kind(w):
    _script(w, "real_time_counting_targeted_object.py")


def tracks(w):
    """Boxes with a number each, by way of Kalman filters."""
    import sys
    import types

    from scipy.optimize import linear_sum_assignment

    old = types.ModuleType("sklearn.utils.linear_assignment_")  # scikit-learn has it no more
    old.linear_assignment = lambda costs: np.stack(linear_sum_assignment(costs), 1)
    sys.modules[old.__name__] = old
    exec(_AHEAD, {})
    import backbone
    import cv2

    film = cv2.VideoCapture("film")
    for i in range(3):
        seen = backbone.processor(film.read()[1])
        w.dump(**{f"seen{i}": seen, f"boxes{i}": [[int(v) for v in t.box] for t in backbone.tracker_list]})
