"""xiaochus/YOLOv3 (Keras 2.2.4 before): weights of Darknet become a Keras file, which finds boxes."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, settings, write

REPOSITORY = "https://github.com/xiaochus/YOLOv3"
COMMIT = "db63e48f501a9019eb420f77dfc7fa6f44329270"

_CONV = "[convolutional]\n{0}filters={1}\nsize={2}\nstride={3}\npad=1\nactivation={4}\n"
_NORM = "batch_normalize=1\n"
_CFG = "".join([
    "[net]\nwidth=64\nheight=64\nchannels=3\ndecay=0.0005\n",
    _CONV.format(_NORM, 8, 3, 1, "leaky"), _CONV.format(_NORM, 16, 3, 2, "leaky"),
    _CONV.format(_NORM, 8, 1, 1, "leaky"), _CONV.format(_NORM, 16, 3, 1, "leaky"),
    "[shortcut]\nfrom=-3\nactivation=linear\n", "[maxpool]\nsize=2\nstride=2\n",
    _CONV.format("", 21, 1, 1, "linear"), "[yolo]\nclasses=2\n",
    "[route]\nlayers = -3\n", _CONV.format(_NORM, 8, 1, 1, "leaky"), "[upsample]\nstride=2\n",
    "[route]\nlayers = -1, 4\n", _CONV.format("", 21, 1, 1, "linear"), "[yolo]\nclasses=2\n",
])  # fmt: skip


@carried
def data(w):
    write("tiny.cfg", _CFG)
    with open("tiny.weights", "wb") as stream:
        stream.write(np.array([0, 2, 0, 0, 0], "i4").tobytes())
        values = np.random.RandomState(0).normal(size=20000) * 0.2
        stream.write(np.abs(values).astype("f4").tobytes())


@settings(timeout=1800)
def convert(w):
    from keras.models import load_model

    w.script("yad2k.py", "tiny.cfg", "tiny.weights", "tiny.h5", instead=[
        ("    plot(model,", "    dict(model=model,"),
        ("    print(model.summary())\n", ""), ("print('Concatenating route layers:', layers)", "pass"),
    ])  # fmt: skip
    model = load_model("tiny.h5", compile=False)
    image = np.random.RandomState(1).uniform(size=(1, 64, 64, 3)).astype("f")
    w.dump(found=model.predict(image), weights=model.get_weights())
    os.remove("tiny.h5")


def boxes(w):
    from model import yolo_model

    yolo_model.load_model = lambda path: None
    yolo = yolo_model.YOLO(0.3, 0.4)
    random = np.random.RandomState(0)
    outs = [random.normal(size=(1, n, n, 3, 7)).astype("f") for n in (2, 4, 8)]
    w.dump(found=yolo._yolo_out(outs, (60, 80, 3)))
