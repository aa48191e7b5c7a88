"""victordibia/handtracking: finds hands in a film by a frozen graph, in this process and in others."""

from __future__ import annotations

from kit import carried, picture, write_detector

REPOSITORY = "https://github.com/victordibia/handtracking"
COMMIT = "fff84328611e3a6f5b2b4dbea49501d07453b486"

# The camera gives one picture, what is shown is kept, and the third one ends the program.
_AHEAD = """
import cv2, numpy as np
cv2.putText = lambda image, words, *a: None
cv2.namedWindow, cv2.destroyAllWindows = lambda *a: None, lambda: None
class Camera:
    def __init__(self, source):
        self.picture = cv2.imread('hand.png')
    def set(self, setting, value):
        pass
    def get(self, setting):
        return {3: 320.0, 4: 240.0}[setting]
    def read(self):
        return True, self.picture.copy()
shown = []
def show(title, frame):
    shown.append(title)
    np.save('shown-%d.npy' % len(shown), frame)
cv2.VideoCapture, cv2.imshow = Camera, show
cv2.waitKey = lambda delay: ord('q') if len(shown) == 3 else 0
"""


@carried
def data(w):
    picture("hand.png", 240, 320)
    write_detector("hand_inference_graph/frozen_inference_graph.pb", kinds=1)


def here(w):
    w.script("detect_single_threaded.py", "--scorethreshold=0.3", ahead=_AHEAD)


def others(w):
    w.script("detect_multi_threaded.py", "--num-workers=1", "--num_hands=4", ahead=_AHEAD,
             instead=[('print("fps", fps)', "")])  # fmt: skip
