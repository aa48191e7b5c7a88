"""MaybeShewill-CV/lanenet-lane-detection: both networks, finding lanes, and their losses."""

from __future__ import annotations

import numpy as np
from kit import settings

REPOSITORY = "https://github.com/MaybeShewill-CV/lanenet-lane-detection"
COMMIT = "fb31c8e4877d08c548af6f93687727a687f8cd9b"


def _network(phase, front):
    from lanenet_model import lanenet
    from local_utils.config_utils import parse_config_utils

    cfg = parse_config_utils.lanenet_cfg
    cfg.immutable = False
    cfg.MODEL.FRONT_END = front
    return lanenet.LaneNet(phase=phase, cfg=cfg)


@settings(timeout=900)
def find(w):
    x = np.random.RandomState(0).uniform(-1, 1, (1, 64, 128, 3)).astype("f")
    for front in ("bisenetv2", "vgg"):
        w.dump(**{front: w.call(
            lambda x, f=front: _network("test", f).inference(x, name="LaneNet"), x)})  # fmt: skip


@settings(timeout=900)
def losses(w):
    random = np.random.RandomState(0)
    x = random.uniform(-1, 1, (2, 64, 128, 3)).astype("f")
    lane = (random.rand(2, 64, 128, 1) < 0.2).astype(np.int64)
    which = (lane[..., 0] * random.randint(1, 3, (2, 64, 128))).astype(np.int64)[..., None]

    def built(x, lane, which):
        got = _network("train", "bisenetv2").compute_loss(x, lane, which, name="LaneNet")
        return {k: v for k, v in got.items() if "loss" in k}

    w.dump(**w.call(built, x, lane, which))


def discriminative(w):
    from lanenet_model import lanenet_discriminative_loss as repository

    random = np.random.RandomState(0)
    label = random.randint(0, 3, (2, 8, 8)).astype(np.int32)
    w.dump(parts=w.call(lambda p, y: repository.discriminative_loss(
        p, y, 4, (8, 8), 0.5, 3.0, 1.0, 1.0, 0.001), random.randn(2, 8, 8, 4).astype("f"), label))
