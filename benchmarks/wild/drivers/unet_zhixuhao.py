"""zhixuhao/unet (Keras 2.2.4 before): its main program trains by its generator, and predicts."""

from __future__ import annotations

import numpy as np
from kit import carried, fill, picture, settings

REPOSITORY = "https://github.com/zhixuhao/unet"
COMMIT = "b45af4d458437d8281cc218a07fd4380818ece4a"

# Dropout draws other numbers, and Adam of Keras 2 counts its steps before or after it asks for their number.
_AHEAD = """
import keras.layers, keras.optimizers
from keras.layers import Activation as Kept
keras.layers.Dropout = lambda rate: Kept('linear')
class Adam(keras.optimizers.SGD):
    def __init__(self, lr=0.0, learning_rate=0.0):
        super(Adam, self).__init__(100 * (lr or learning_rate))
keras.optimizers.Adam = Adam
"""
_SMALL = [
    ("'data/membrane/train'", "'tiny/train'"), ("save_to_dir = None", "target_size=(32, 32)"),
    ("unet()", "unet('tiny.hdf5', (32, 32, 1))"),
    ("steps_per_epoch=300,epochs=1", "steps_per_epoch=2,verbose=0"),
    ('testGenerator("data/membrane/test")', 'testGenerator("tiny/test", 2, (32, 32))'),
    ("30,verbose=1", "2,verbose=0"), ('"data/membrane/test",results', '"tiny/test",results'),
    ("'loss',verbose=1", "'loss',verbose=0"),
]


@carried
def data(w):
    for i in range(4):
        picture(f"tiny/train/image/{i}.png", 32, 32, seed=i)
        picture(f"tiny/train/label/{i}.png", 32, 32, seed=i)
    for i in range(2):
        picture(f"tiny/test/{i}.png", 32, 32, seed=9 + i)


@carried
def weights(w):
    from model import unet

    network = unet(None, (32, 32, 1))
    fill(network, np.random.RandomState(0), 1.4, vectors=False).save_weights("tiny.hdf5")


@settings(timeout=1800)
def train(w):
    w.script("main.py", ahead=_AHEAD, instead=[
        (old.replace("30,", "steps=30,") if w.after and old[0] == "3" else old,
         new.replace("2,", "steps=2,") if w.after and old[0] == "3" else new) for old, new in _SMALL
    ])  # fmt: skip
    import h5py

    with h5py.File("unet_membrane.hdf5", "r") as file:
        found = []
        file["model_weights"].visititems(
            lambda name, item: found.append(np.asarray(item)) if hasattr(item, "shape") else None)
    w.dump(sums=sorted(float(np.abs(value).sum()) for value in found))
    import os

    os.remove("unet_membrane.hdf5")
