"""MarvinTeichmann/KittiSeg: its encoder, decoder and losses, without the submodules that run them."""

from __future__ import annotations

import sys
import types

import numpy as np
from kit import settings

REPOSITORY = "https://github.com/MarvinTeichmann/KittiSeg"
COMMIT = "80adf0350c3108296f005ef3a24668aac55a47e7"

sys.modules.setdefault("seg_utils", types.ModuleType("seg_utils")).seg_utils = None  # of a submodule
_DRAW = np.random.RandomState(0)
_SIZES = {"images": (1, 64, 96, 3), "fcn_in": (1, 2, 3, 7), "feed2": (1, 4, 6, 5), "feed4": (1, 8, 12, 3)}
_ARRAYS = [_DRAW.uniform(0, 1, size).astype(np.float32) for size in _SIZES.values()]
_LABELS = np.eye(2)[_DRAW.randint(0, 2, (1, 64, 96))].astype(np.int32)


def _hypes(loss="xentropy", opt="Adam"):
    return {
        "arch": {"num_classes": 2, "weight": [1, 2], "layers": 50, "fcn_in": "fc7"}, "wd": 5e-4, "loss": loss,
        "solver": {"epsilon": 1e-9, "opt": opt, "adam_eps": 1e-5}, "clip_norm": 1.0,
        "use_moving_average_bn": True,
    }  # fmt: skip


def _decoded(hypes, arrays):
    from decoder import fcn

    return fcn.decoder(hypes, {name: arrays[n] for n, name in enumerate(_SIZES)})


def decode(w):
    w.dump(**w.call(lambda *arrays: _decoded(_hypes(), arrays), *_ARRAYS))


def losses(w):
    from decoder import fcn

    for kind in ("xentropy", "softF1", "softIU"):
        def found(*arrays, kind=kind):
            hypes = _hypes(kind)
            return fcn.loss(hypes, _decoded(hypes, arrays[:4]), arrays[4])

        w.dump(**{kind: w.call(found, *_ARRAYS, _LABELS)})


def evaluate(w):
    from decoder import fcn

    def found(*arrays):
        decoded = _decoded(_hypes(), arrays[:4])
        kept = fcn.evaluation(_hypes(), arrays[0], arrays[4], decoded,
                              fcn.loss(_hypes(), decoded, arrays[4]), 0)
        return [value for _, value in kept]

    w.dump(evaluation=w.call(found, *_ARRAYS, _LABELS))


@settings(timeout=900)
def encode(w):
    from encoder import resnet

    for train in (True, False):
        def found(images, train=train):
            return resnet.inference(_hypes(), images, train)

        w.dump(**{f"train {train}": w.call(found, _ARRAYS[0])})
