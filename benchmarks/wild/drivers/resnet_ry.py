"""ry/tensorflow-resnet: both networks; the programs around them are for a TensorFlow before 1.0."""

from __future__ import annotations

import contextlib
import sys
import types

import numpy as np
from kit import settings, under

REPOSITORY = "https://github.com/ry/tensorflow-resnet"
COMMIT = "ccb9cc8cc2cc7021c67e7df4a70f96faab9553c5"


def _resnet():
    for name in ("skimage", "skimage.io", "skimage.transform"):
        sys.modules[name] = types.ModuleType(name)
    # Its configuration takes what flags had inside before they were absl's, in Python 2.
    import absl.flags
    import tensorflow as tf

    held = type("Flags", (dict,), {"iteritems": dict.items})()
    holders = [absl.flags.FLAGS, tf.compat.v1.app.flags.FLAGS]
    with contextlib.suppress(ImportError):
        from tf1_support import flags as tf1_flags

        holders.append(tf1_flags.FLAGS)
    for flags in holders:
        flags.__dict__["__flags"] = held
    import resnet

    return resnet


_IMAGES = np.random.RandomState(0).uniform(0, 1, (2, 64, 64, 3)).astype(np.float32)


@under("TF153", "resnet.py", "its averages move at each call, also of a network that predicts")
@settings(timeout=900)
def large(w):
    resnet = _resnet()
    for train in (True, False):
        for bottleneck in (True, False):
            def found(images, train=train, bottleneck=bottleneck):
                return resnet.inference(images, train, 7, [2, 1, 1, 1], bottleneck=bottleneck)

            w.dump(**{f"{train} {bottleneck}": w.call(found, _IMAGES)})


def biased(w):
    resnet = _resnet()
    w.dump(biased=w.call(lambda images: resnet.inference(images, True, None, [1, 1, 1, 1], True), _IMAGES))


def small(w):
    resnet = _resnet()

    def built(images):
        c = resnet.Config()
        import tensorflow as tf

        c["is_training"] = tf.convert_to_tensor(True)
        c["use_bias"], c["fc_units_out"], c["num_blocks"], c["num_classes"] = False, 10, 2, 10
        return resnet.inference_small_config(images, c)

    w.dump(small=w.call(built, _IMAGES[:, :32, :32]))

