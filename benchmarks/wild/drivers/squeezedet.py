"""BichenWuUCB/squeezeDet: trains on pictures in KITTI's layout, evaluates a checkpoint, and detects."""

from __future__ import annotations

import numpy as np
from kit import carried, edit, picture, write

REPOSITORY = "https://github.com/BichenWuUCB/squeezeDet"
COMMIT = "e7c0860eb1d141729cf02a2ec9cafc0cfb4a21aa"
PYTHON2 = True

_KITTI = "data/KITTI"
_CONFIG = "src/config/kitti_squeezeDet_config.py"
# The letters of OpenCV and Pillow change with their versions.
_NO_TEXT = (
    "import cv2; cv2.putText = lambda *a, **k: None\n"
    "from PIL import ImageDraw; ImageDraw.ImageDraw.text = lambda *a, **k: None"
)
_NO_TIME = "\nimport time; time.time = lambda: 0.0"


@carried
def data(w):
    random = np.random.RandomState(0)
    names = [f"{i:06d}" for i in range(4)]
    for i, name in enumerate(names):
        picture(f"{_KITTI}/training/image_2/{name}.png", 160, 96, seed=i)
        lines = []
        for kind in ("Car", "Pedestrian", "Cyclist", "DontCare"):
            x, y = random.randint(2, 100), random.randint(2, 50)
            box = f"{x}.00 {y}.00 {x + 50}.00 {y + 40}.00"
            lines.append(f"{kind} 0.00 0 1.5 {box} 1.5 1.6 3.7 1.0 1.7 20.0 0.5")
        write(f"{_KITTI}/training/label_2/{name}.txt", "\n".join(lines) + "\n")
    write(f"{_KITTI}/ImageSets/train.txt", "\n".join(names) + "\n")
    write(f"{_KITTI}/ImageSets/val.txt", "\n".join(names[:2]) + "\n")


def _smaller():
    """Pictures of 160 x 96, no weights from elsewhere, and no threads that read them in any order."""
    for old, new in (
        ("= 1248", "= 160"), ("= 384", "= 96"), ("= 20\n", "= 2\n"),
        ("24, 78, 9", "6, 10, 9"),
        ("= 150\n", "= 10\n"), ("= 100\n", "= 8\n"),
    ):
        edit(_CONFIG, old, new)
    edit("src/config/config.py", "cfg.LOAD_PRETRAINED_MODEL = True", "cfg.LOAD_PRETRAINED_MODEL = False")
    edit("src/config/config.py", "cfg.NUM_THREAD = 4", "cfg.NUM_THREAD = 0")


def train(w):
    _smaller()
    w.script("src/train.py", f"--data_path={_KITTI}", "--train_dir=logs/train", "--max_steps=4",
             "--summary_step=2", "--checkpoint_step=2", ahead=_NO_TEXT)  # fmt: skip


def evaluate(w):
    w.script("src/eval.py", f"--data_path={_KITTI}", "--image_set=val", "--eval_dir=logs/eval",
             "--run_once=True", "--checkpoint_path=logs/train/model.ckpt-3",
             ahead=_NO_TEXT + _NO_TIME)  # fmt: skip


def detect(w):
    edit(_CONFIG, "= 0.4\n", "= 0.1\n")
    w.script("src/demo.py", "--checkpoint=logs/train/model.ckpt-3", "--out_dir=data/out",
             f"--input_path={_KITTI}/training/image_2/*.png", ahead=_NO_TEXT)  # fmt: skip

