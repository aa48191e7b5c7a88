"""gliese581gg/YOLO_tensorflow: detects with its tiny network, from weights that are made here. The
other two need Python 2, whose / their corners of boxes are made by."""

from __future__ import annotations

from kit import carried, picture, settings

REPOSITORY = "https://github.com/gliese581gg/YOLO_tensorflow"
COMMIT = "fd83f13b5f8f1a7b1eb7c38b143ed6da4922834a"
PYTHON2 = True

_QUIET = """
import cv2, itertools, time
cv2.putText = lambda image, words, *a: print(words)
cv2.waitKey = lambda *a: -1
time.time = itertools.count(1.0).__next__
"""
_MAKE = ("self.saver.restore(", "self.saver.save(")
_LITTLE = ("stddev=0.1)", "stddev=0.02)")  # or boxes are a million pixels wide
# The file that is given is found, the folder is not: the original says None where it says No.
_FOLDER = ("self.fromfolder = No", "self.fromfolder = None")


@carried
def picture_(w):
    picture("test/one.png", 320, 240, seed=1)


@carried
@settings(timeout=600)
def weights(w):
    w.script("YOLO_tiny_tf.py", "-disp_console", "1", ahead=_QUIET, instead=[_MAKE, _FOLDER, _LITTLE])


@settings(timeout=600)
def tiny(w):
    w.script("YOLO_tiny_tf.py", "-fromfile", "test/one.png", "-tofile_txt", "tiny.txt", ahead=_QUIET,
             instead=[_FOLDER])  # fmt: skip
