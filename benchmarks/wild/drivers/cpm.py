"""timctho/convolutional-pose-machines-tensorflow: trains on hands, goes on, freezes, finds joints."""

from __future__ import annotations

from kit import carried, picture, settings

REPOSITORY = "https://github.com/timctho/convolutional-pose-machines-tensorflow"
COMMIT = "b9a30fbb5a2f1d15faf8f553201203a431cb34cb"

# Narrow layers, small pictures; what makes pictures is not in the repository; speeds are printed.
_SMALL = """
import importlib, itertools, re, sys, time, types
time.time = itertools.count(1.0).__next__
import cv2
import numpy as np
cv2.imshow = lambda name, image: print(name, image.shape, np.sum(image) / image.size)
circle = cv2.circle
def dot(image, center, **others):  # newer ones take whole numbers only
    circle(image, center=tuple(int(c) for c in center), **others)
cv2.circle = dot
cv2.waitKey = lambda wait=0: 0
from config import FLAGS as set_
def narrow(name):
    path = name.replace('.', '/') + '.py'
    said = open(path).read()
    said = re.sub(r'filters=(\\d\\d+)', lambda m: 'filters=%d' % (int(m.group(1)) // 8), said)
    said = re.sub(r'slim.conv2d\\(([\\w.]+), (\\d\\d+)',
                  lambda m: 'slim.conv2d(%s, %d' % (m.group(1), int(m.group(2)) // 8), said)
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(said, path, 'exec'), module.__dict__)
    folder, last = name.rsplit('.', 1)
    setattr(importlib.import_module(folder), last, module)
narrow('models.nets.cpm_hand')
narrow('models.nets.cpm_hand_slim')
set_.input_size, set_.heatmap_size, set_.batch_size = 64, 8, 2
set_.training_iters, set_.model_save_iters, set_.validation_iters = 4, 2, 3
set_.pretrained_model = ''
class Hands:
    def __init__(self, seed):
        self.random = np.random.RandomState(seed)
    def next(self):
        return (self.random.randint(0, 256, (2, 64, 64, 3)).astype('f'),
                self.random.uniform(8, 56, (2, 21, 2)))
made = types.ModuleType('Ensemble_data_generator')
made.ensemble_data_generator = lambda *args: Hands(0)
sys.modules['Ensemble_data_generator'] = made
"""


@settings(timeout=900)
def train(w):
    w.script("run_training.py", ahead=_SMALL)


@settings(timeout=900)
def go_on(w):
    """From the second step's checkpoint, whose place is put together from what is set."""
    w.script("run_training.py",
             ahead=_SMALL + "set_.pretrained_model = 'cpm_hand-2'\nset_.training_iters = 3\n")


def freeze(w):
    import glob
    import os

    for name in glob.glob("models/weights/cpm_hand/**/cpm_hand-2.*", recursive=True):
        os.link(name, "models/weights/" + os.path.basename(name).replace("-2", ""))
    w.script("run_freeze_graph.py", ahead=_SMALL + "set_.output_node_names = 'stage_3/mid_conv7/BiasAdd'\n")


@carried
def weights(w):
    """For the narrow network, as Caffe names them."""
    import pickle

    import numpy as np

    picture("some.png", 70, 64)
    random = np.random.RandomState(0)
    found, wide = {}, 3

    def layer(name, size, one, other):
        found[name] = random.normal(0, 0.1, (size, size, one, other)).astype("f")
        found[name + "_b"] = random.normal(0, 0.1, other).astype("f")

    for block, widths in enumerate(((8, 8), (16, 16), (32,) * 4, (64,) * 4, (64, 64)), 1):
        for i, width in enumerate(widths, 1):
            layer(f"conv{block}_{i}", 3, wide, width)
            wide = width
    layer("conv5_3_CPM", 3, wide, 16)
    layer("conv6_1_CPM", 1, 16, 64)
    layer("conv6_2_CPM", 1, 64, 22)
    for stage in (2, 3):
        for i, (size, one, other) in enumerate(
            [(7, 16 + 22, 16)] + [(7, 16, 16)] * 4 + [(1, 16, 16), (1, 16, 22)], 1
        ):
            layer(f"Mconv{i}_stage{stage}", size, one, other)
    with open("some.pkl", "wb") as stream:
        pickle.dump(found, stream, 2)


@settings(timeout=600)
def detect(w):
    w.script("demo_cpm_hand.py", "--DEMO_TYPE=some.png", "--model_path=some.pkl",
             "--input_size=64", "--hmap_size=8",
             "--stages=3", ahead=_SMALL, instead=[("/gpu:0", "/cpu:0"), ("while True:", "for _ in range(2):"),
             ("stage_heatmap[5]", "stage_heatmap[2]")])  # fmt: skip
