"""charlesq34/frustum-pointnets: trains a network for boxes in clouds of points, and tests it."""

from __future__ import annotations

import pickle

import numpy as np
from kit import carried, settings, write

REPOSITORY = "https://github.com/charlesq34/frustum-pointnets"
COMMIT = "2ffdd345e1fce4775ecb508d207e0ad465bcca80"
PYTHON2 = True

_SIZES = {"Car": (3.9, 1.6, 1.6), "Pedestrian": (0.8, 0.7, 1.8), "Cyclist": (1.8, 0.6, 1.7)}


@carried
def data(w):
    random = np.random.RandomState(0)
    for split, count in (("train", 6), ("val", 4)):
        rows = []
        for i in range(count):
            kind = sorted(_SIZES)[i % 3]
            length, width, height = _SIZES[kind]
            center = random.uniform((-5, 0, 8), (5, 2, 20))
            signs = np.array([[x, y, z] for y in (1, -1) for x, z in ((1, 1), (1, -1), (-1, -1), (-1, 1))])
            corners = center + signs * np.array([length, height, width]) / 2
            points = np.concatenate([
                random.uniform(center - 3, center + 3, (80, 3)), random.uniform(0, 1, (80, 1))], 1)
            inside = (np.abs(points[:, :3] - center) < 1).all(1).astype(int)
            rows.append((i, random.uniform(0, 300, 4), corners, points, inside, kind, random.uniform(-3, 3),
                         np.array([length, width, height]), -np.arctan2(center[2], center[0])))
        with open(f"kitti/frustum_carpedcyc_{split}.pickle", "wb") as stream:
            for column in zip(*rows):  # noqa: B905
                pickle.dump(list(column), stream, 2)
    with open("kitti/seen.pickle", "wb") as stream:
        for column in (0, 1, 3, 5, 8):
            pickle.dump([row[column] for row in rows], stream, 2)
        pickle.dump([0.5 + 0.1 * row[0] for row in rows], stream, 2)
    write("kitti/image_sets/some.txt", "000000\n000009\n")


# Its own programs are copied beside what they log.
_NO_COPY = "os.system = lambda command: 0"
_SMALL = ("--gpu=0", "--num_point=64", "--batch_size=2")
# Averages of so small batches leave the rest to rounding at its own rate.
_SLOWLY = "--learning_rate=1e-5"


@settings(timeout=900)
def train(w):
    w.script("train/train.py", *_SMALL, "--model=frustum_pointnets_v1", "--log_dir=log", "--max_epoch=1",
             "--decay_step=4", _SLOWLY, ahead=_NO_COPY)  # fmt: skip


@settings(timeout=900)
def train_further(w):
    w.script("train/train.py", *_SMALL, "--log_dir=log_on", "--max_epoch=1",
             "--restore_model_path=log/model.ckpt", _SLOWLY, ahead=_NO_COPY)  # fmt: skip


@settings(timeout=900)
def test(w):
    w.script("train/test.py", *_SMALL, "--model_path=log/model.ckpt", "--output=results")


@settings(timeout=900)
def test_seen(w):
    """Boxes in pictures come from a detector, and are no multiple of the batch."""
    w.script("train/test.py", "--gpu=0", "--num_point=64", "--batch_size=3", "--model_path=log/model.ckpt",
             "--output=seen", "--data_path=kitti/seen.pickle", "--from_rgb_detection",
             "--idx_path=kitti/image_sets/some.txt")  # fmt: skip
