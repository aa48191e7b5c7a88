"""affinelayer/pix2pix-tensorflow: trains, tests and exports image translation, and its tools."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, picture, settings

REPOSITORY = "https://github.com/affinelayer/pix2pix-tensorflow"
COMMIT = "0f2174424356162920fc25067e63db2bcf19f4e7"

_TRAIN = ("pix2pix.py", "--mode=train", "--ngf=4", "--ndf=4", "--summary_freq=2", "--progress_freq=1")
# It prints how long it took in words that no speed is told by.
_NO_CLOCK = "import time; time.time = lambda: 0.0"


@carried
def data(w):
    for i in range(3):
        picture(f"pairs/{i}.png", 256, 512, seed=i)
        picture(f"single/{i}.png", 256, 256, seed=10 + i)
        picture(f"photos/{i}.jpg", 120, 160, seed=20 + i)


@carried
def trained_by_original(w):
    w.script(*_TRAIN, "--input_dir=pairs", "--output_dir=before", "--max_steps=2", "--no_flip")


@settings(timeout=900)
def train(w):
    w.script(*_TRAIN, "--input_dir=pairs", "--output_dir=trained", "--max_epochs=1", "--save_freq=2",
             "--display_freq=2")  # fmt: skip


@settings(timeout=900)
def train_other_way(w):
    w.script(*_TRAIN, "--input_dir=pairs", "--output_dir=trained_b", "--max_steps=2",
             "--which_direction=BtoA", "--batch_size=2", "--separable_conv")  # fmt: skip


@settings(timeout=900)
def colorize(w):
    w.script(*_TRAIN, "--input_dir=single", "--output_dir=colours", "--max_steps=2", "--lab_colorization")


def test(w):
    w.script("pix2pix.py", "--mode=test", "--input_dir=pairs", "--output_dir=tested", "--checkpoint=trained",
             ahead=_NO_CLOCK)  # fmt: skip


def test_of_original(w):
    w.script("pix2pix.py", "--mode=test", "--input_dir=pairs", "--output_dir=tested_before",
             "--checkpoint=before", "--aspect_ratio=1.5", ahead=_NO_CLOCK)  # fmt: skip


def go_on_from_original(w):
    w.script(*_TRAIN, "--input_dir=pairs", "--output_dir=further", "--max_steps=2", "--checkpoint=before")


def export(w):
    w.script("pix2pix.py", "--mode=export", "--output_dir=exported", "--checkpoint=before")


def export_for_server(w):
    w.script("server/tools/export-checkpoint.py", "--checkpoint=before", "--output_file=model.pict",
             cwd=".")  # fmt: skip
    with open("model.pict", "rb") as stream:  # parts, each behind its length; logarithms are NumPy's
        content, parts = stream.read(), []
    while content:
        end = 4 + int.from_bytes(content[:4], "big")
        parts.append(content[4:end])
        content = content[end:]
    os.remove("model.pict")
    shape, index, encoded = parts
    w.dump(shape=shape.decode(), index=np.frombuffer(index, np.float32),
           encoded=np.frombuffer(encoded, np.uint8))  # fmt: skip


def process(w):
    for operation, extra in (("resize", ("--size=64",)), ("grayscale", ()), ("blank", ("--size=64",))):
        w.script("tools/process.py", "--input_dir=photos" if operation == "resize" else "--input_dir=single",
                 f"--operation={operation}", f"--output_dir=made_{operation}", *extra)  # fmt: skip
    w.script("tools/process.py", "--input_dir=photos", "--operation=resize", "--pad", "--size=200",
             "--output_dir=made_padded")  # fmt: skip
    w.script("tools/process.py", "--input_dir=single", "--b_dir=single", "--operation=combine",
             "--output_dir=made_pairs")  # fmt: skip


def split(w):
    os.makedirs("parts", exist_ok=True)
    for i in range(5):
        picture(f"parts/{i}.png", 8, 8, seed=i)
    w.script("tools/split.py", "--dir=parts")
