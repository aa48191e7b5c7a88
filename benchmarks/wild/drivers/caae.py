"""ZZUTK/Face-Aging-CAAE: trains the auto-encoder on faces, goes on, and ages faces."""

from __future__ import annotations

from kit import carried, picture, settings

REPOSITORY = "https://github.com/ZZUTK/Face-Aging-CAAE"
COMMIT = "cb5a5b21768543d6e13c9af123346eeeccb1ff66"
PYTHON2 = True

# SciPy has no pictures any more; and a small network.
_AHEAD = """
import functools
import numpy as np, scipy.misc
from PIL import Image
scipy.misc.imread = lambda path, mode='RGB': np.asarray(Image.open(path).convert(mode))
scipy.misc.imresize = lambda image, size: np.asarray(
    Image.fromarray(image.astype('uint8')).resize(tuple(size)[:2], Image.BILINEAR))
scipy.misc.imsave = lambda path, image: np.save(path + '.npy', image)
import FaceAging
FaceAging.FaceAging = functools.partial(
    FaceAging.FaceAging, size_image=32, size_batch=4, num_encoder_channels=4, num_z_channels=6,
    num_gen_channels=16)
"""
_TRAIN = ("main.py", "--epoch=1", "--dataset=faces", "--savedir=kept", "--use_init_model=false")


@carried
def faces(w):
    for i in range(12):
        picture(f"data/faces/{5 * i + 3}_{i % 2}_0_{i}.jpg", 32, 32, seed=i)
        if i < 4:
            picture(f"tried/{i}.jpg", 32, 32, seed=20 + i)


@settings(timeout=900)
def train(w):
    w.script(*_TRAIN, ahead=_AHEAD)


@settings(timeout=900)
def go_on(w):
    w.script(*_TRAIN, ahead=_AHEAD)


def age(w):
    w.script("main.py", "--is_train=false", "--testdir=tried", "--savedir=kept", ahead=_AHEAD)
