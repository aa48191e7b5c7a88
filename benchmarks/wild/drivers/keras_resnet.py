"""raghakot/keras-resnet (Keras 2.2.4 before): its networks, trained some steps, and its tests."""

from __future__ import annotations

import numpy as np
from kit import carried, fill, settings, under

REPOSITORY = "https://github.com/raghakot/keras-resnet"
COMMIT = "5e9bcca7e467f7baf3459d809ef16bb75e53f115"


def _net():
    import resnet

    return resnet.ResnetBuilder.build((3, 32, 32), 5, resnet.basic_block, [1, 1, 1])


@carried
def weights(w):
    fill(_net(), np.random.RandomState(0), 1.4).save_weights("tiny.h5")


@under("TF316", "resnet.py", "its moving averages were those of the batches since training began")
@settings(timeout=1800)
def train(w):
    from keras.optimizers import SGD

    net = _net()
    net.load_weights("tiny.h5")
    x = np.random.RandomState(1).normal(size=(4, 32, 32, 3)).astype("f")
    w.dump(found=net.predict(x))
    net.compile(SGD(0.01, momentum=0.9), "categorical_crossentropy")
    w.dump(losses=[net.train_on_batch(x, np.eye(5)[:4]) for _ in range(3)])
    w.dump(trained=net.predict(x))


@settings(timeout=1800)
def tests(w):
    w.script("-m", "pytest", "-qq", "-p", "no:cacheprovider", "-p", "no:warnings", "tests", "-k", "18")
