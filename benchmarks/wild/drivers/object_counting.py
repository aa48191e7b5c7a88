"""ahmetozlu/tensorflow_object_counting_api: counts and tracks what a frozen detector finds in films."""

from __future__ import annotations

import os

import numpy as np
from kit import WORDS_PRINTED, carried, picture, write_detector

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
""" + WORDS_PRINTED


@carried
def data(w):
    """A film of three pictures, and detectors."""
    for i in range(3):
        picture(f"film/{i:03d}.png", 480, 640, seed=i)
    for folder in (_MODEL, "custom_frozen_inference_graph"):
        write_detector(f"{folder}/frozen_inference_graph.pb")


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
