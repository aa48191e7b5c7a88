"""charlesq34/pointnet: trains two of its networks on point clouds."""

from __future__ import annotations

import numpy as np
from kit import carried, settings, write

REPOSITORY = "https://github.com/charlesq34/pointnet"
COMMIT = "2618f72bc1a0fd21b074096e748016960d44ef55"

_SMALL = ("--num_point=64", "--batch_size=4")
_NO_COPIES = "import os; os.system = lambda command: 0"  # of its own sources, beside what it logs


@carried
def clouds(w):
    import os

    import h5py

    folder = "data/modelnet40_ply_hdf5_2048"
    os.makedirs(folder, exist_ok=True)
    random = np.random.RandomState(0)
    for split in ("train", "test"):
        with h5py.File(f"{folder}/{split}0.h5", "w") as stream:
            stream["data"] = random.rand(8, 128, 3).astype("f")
            stream["label"] = random.randint(0, 40, (8, 1)).astype(np.uint8)
        write(f"{folder}/{split}_files.txt", f"{folder}/{split}0.h5\n")
    write(f"{folder}/shape_names.txt", "".join(f"shape{i}\n" for i in range(40)))


@settings(timeout=1200)
def train(w):
    w.script("train.py", *_SMALL, "--max_epoch=1", "--log_dir=log", ahead=_NO_COPIES)


@settings(timeout=1200)
def train_basic(w):
    w.script("train.py", *_SMALL, "--max_epoch=1", "--log_dir=basic", "--model=pointnet_cls_basic",
             "--optimizer=momentum", ahead=_NO_COPIES)  # fmt: skip
