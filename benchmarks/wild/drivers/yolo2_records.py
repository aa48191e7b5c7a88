"""WojciechMormul/yolo2: records of pictures with boxes, training on them, detection in a film."""

from __future__ import annotations

from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/WojciechMormul/yolo2"
COMMIT = "07c4116b6b176f4e58fad57cb0276a36f43df43c"
PYTHON2 = True

_SMALL = [("18, 10", "3, 2")]
_SHORT = [
    ("18, 10", "3, 2"), ("BATCH_SIZE = 24", "BATCH_SIZE = 2"),
    ("if end < 0", "if end is not None and end < 0"), ("NUM_ITERS = 100000", "NUM_ITERS = 3"),
    ("min_queue_examples = 500", "min_queue_examples = 4"),
    ("conv2d(x, depth, kernel", "conv2d(x, depth if depth < 64 else depth // 8, kernel"),
]  # fmt: skip
# The film has three pictures; nothing is shown.
_FILM = """
import cv2
class Film:
    left = 3
    def __init__(self, name):
        pass
    def isOpened(self):
        return True
    def read(self):
        self.left -= 1
        return self.left >= 0, cv2.imread('some.png')
cv2.VideoCapture = Film
cv2.imshow = cv2.moveWindow = lambda *args: None
cv2.waitKey = lambda: 0
cv2.rectangle = lambda image, *args: print(args)
cv2.putText = lambda image, words, *args: print(words)
"""


@carried
def data(w):
    picture("some.png", 100, 150)
    lines = ['some.png,"[[20,10,60,50],[70,40,50,45]]","[1,3]"'] * 12
    write("data.csv", "filename,rois,classes\n" + "\n".join(lines) + "\n")
    write("anchors.txt", "60 50\n20 20\n50 45\n90 80\n")
    write("yolo.labels", "\n".join(f"{i} kind{i} ({40 * i},0,{200 - 40 * i})" for i in range(6)) + "\n")


def pack(w):
    w.script("make_tfrecord.py", instead=_SMALL)


@settings(timeout=600)
def train(w):
    w.script("train.py", instead=_SHORT)


def detect(w):
    import glob
    import os

    for name in glob.glob("model/yolo-3.*"):
        os.link(name, name.replace("yolo-3", "yolo"))
    w.script("test.py", ahead=_FILM, instead=[*_SMALL, ("prob_th = 0.7", "prob_th = 0.12")])
