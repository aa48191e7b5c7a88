"""igul222/improved_wgan_training: the toy in both modes, and its layers."""

from __future__ import annotations

import numpy as np
from kit import settings

REPOSITORY = "https://github.com/igul222/improved_wgan_training"
COMMIT = "fa66c574a54c4916d27c55441d33753dcc78f6bc"
PYTHON2 = True


_SMALL = (("ITERS = 100000", "ITERS = 3"), ("DIM = 512", "DIM = 16"))


@settings(timeout=900)
def toy(w):
    w.script("gan_toy.py", instead=_SMALL)


@settings(timeout=900)
def toy_clipped(w):
    w.script("gan_toy.py", instead=[
        *_SMALL, ("MODE = 'wgan-gp'", "MODE = 'wgan'"), ("DATASET = '8gaussians'", "DATASET = '25gaussians'"),
    ])  # fmt: skip


def layers(w):
    import tflib.ops.layernorm
    import tflib.ops.linear

    ops = tflib.ops
    random = np.random.RandomState(0)
    flat = random.randn(4, 6).astype("f")
    w.dump(linear=w.call(lambda x: ops.linear.Linear("L", 6, 5, x), flat))
    w.dump(normed=w.call(lambda x: ops.layernorm.Layernorm("N", [1], x), flat))
