"""yeephycho/tensorflow-face-detection: finds faces in a film and before a camera by a frozen graph."""

from __future__ import annotations

from kit import WORDS_PRINTED, carried, picture, write_detector

REPOSITORY = "https://github.com/yeephycho/tensorflow-face-detection"
COMMIT = "1be9e93150118943036afdc3ed086563a0449888"

# Films are single pictures, and letters change with the versions of Pillow.
_AHEAD = """
import cv2, numpy as np, time
time.time = lambda: 0.0
cv2.namedWindow, cv2.waitKey = lambda *a: None, lambda delay: 0
shown = []
def keep(title, frame):
    shown.append(title)
    np.save('shown-%d.npy' % len(shown), frame)
class VideoWriter:
    def __init__(self, *settings):
        pass
    def write(self, frame):
        keep('film', frame)
    def release(self):
        pass
film = cv2.VideoCapture
cv2.imshow, cv2.VideoWriter = keep, VideoWriter
cv2.VideoCapture = lambda source: film('film/%03d.png')
""" + WORDS_PRINTED


@carried
def data(w):
    for i in range(3):
        picture(f"film/{i:03d}.png", 240, 320, seed=i)
    write_detector("model/frozen_inference_graph_face.pb", kinds=2)


def film(w):
    w.script("inference_video_face.py", ahead=_AHEAD)


def camera(w):
    w.script("inference_usbCam_face.py", "0", ahead=_AHEAD)
