"""argman/EAST: trains the text detector on one device, goes on, and finds text in pictures."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, picture, write

REPOSITORY = "https://github.com/argman/EAST"
COMMIT = "dca414de39a3a4915a019c9a02c1832a31cdd0ca"

# The compiled merging of boxes does not build for every Python; the repository has it in Python, too.
_NO_COMPILER = """
import types, locality_aware_nms
lanms = sys.modules['lanms'] = types.ModuleType('lanms')
lanms.merge_quadrangle_n9 = lambda boxes, overlap=0.3, precision=10000: (
    locality_aware_nms.nms_locality(boxes.astype('float64'), overlap))
"""
# One worker and no random crops to the background, so that both sides read the same batches.
_ONE_ORDER = """
import icdar, numpy as np
icdar.generator.__defaults__ = (512, 32, 0.0, np.array([1.0]), False)
"""
_TRAIN = (
    "multigpu_train.py", "--gpu_list=0", "--input_size=64", "--batch_size_per_gpu=2", "--num_readers=1",
    "--training_data_path=text/", "--checkpoint_path=trained/", "--max_text_size=64",
)  # fmt: skip


@carried
def pictures(w):
    random = np.random.RandomState(0)
    for i in range(3):
        picture(f"text/{i}.jpg", 96, 96, seed=i)
        boxes = []
        for _ in range(2):
            x, y = random.randint(8, 40, 2)
            boxes.append(f"{x},{y},{x + 40},{y},{x + 40},{y + 24},{x},{y + 24},word")
        write(f"text/{i}.txt", "\n".join(boxes) + "\n")


@carried
def trained_by_original(w):
    w.script(*[f.replace("trained/", "before/") for f in _TRAIN], "--max_steps=1", ahead=_ONE_ORDER)


def train(w):
    w.script(*_TRAIN, "--max_steps=2", ahead=_ONE_ORDER)


def go_on(w):
    """From what the original trained."""
    w.script(*[f.replace("trained/", "before/") for f in _TRAIN], "--max_steps=1", "--restore=True",
             ahead=_ONE_ORDER)  # fmt: skip


def evaluate(w):
    os.makedirs("found", exist_ok=True)
    w.script("eval.py", "--test_data_path=text/", "--checkpoint_path=before/", "--output_dir=found/",
             ahead=_NO_COMPILER)  # fmt: skip


def serve(w):
    """The demo server's predictor, on weights that the original trained."""
    w.script("-c", _PREDICT)


_PREDICT = f"""
import sys
{_NO_COMPILER}
import cv2, numpy as np, run_demo_server, eval
seen = []
inner = eval.detect
def detect(score_map, geo_map, timer, **kwargs):
    seen.append((score_map, geo_map))
    return inner(score_map=score_map, geo_map=geo_map, timer=timer, score_map_thresh=0.6)
eval.detect = detect
found = run_demo_server.get_predictor('before/')(cv2.imread('text/0.jpg'))
print(found['rtparams']['working_size'], len(found['text_lines']))
np.savez('seen.npz', score=seen[0][0], geometry=seen[0][1])
"""


def boxes(w):
    """Restoring and merging boxes, and the maps that training is given."""
    import icdar
    import locality_aware_nms

    random = np.random.RandomState(1)
    geometry = random.uniform(2, 20, (30, 5)).astype("f")
    geometry[:, 4] = random.uniform(-0.5, 0.5, 30)
    restored = icdar.restore_rectangle(random.randint(0, 64, (30, 2)), geometry)
    w.dump(restored=restored)
    scored = np.concatenate([restored.reshape(-1, 8), random.rand(30, 1)], 1)
    w.dump(merged=locality_aware_nms.nms_locality(scored.astype("float64"), 0.3))
    corners = np.asarray([[[8, 8], [50, 10], [49, 30], [7, 28]]], "f")
    maps = icdar.generate_rbox((64, 64), corners, np.asarray([False]))
    w.dump(score=maps[0], geometry=maps[1], mask=maps[2])
