"""taehoonlee/tensornets: networks of several kinds, their preprocessing and what users read of them."""

from __future__ import annotations

import numpy as np
from kit import settings

REPOSITORY = "https://github.com/taehoonlee/tensornets"
COMMIT = "c9b1d78f806892193efdebee2789a47fd148b984"


def _run(w, name, size, training=False):
    import tensornets

    x = np.random.RandomState(0).uniform(-1, 1, (1, size, size, 3)).astype("f")
    network = getattr(tensornets, name)
    if not w.after:
        w.dump(**{name: w.call(lambda x: network(x, is_training=training, classes=10), x)})
        return
    from tf1_support import graphs  # users ask its graph for the layers, so that it stays one

    with graphs.Graph().as_default():
        fed = graphs.placeholder("float32", x.shape)
        built = network(fed, is_training=training, classes=10)
        graphs.run(graphs.global_variables_initializer())
        w.dump(**{name: graphs.run(built, {fed: x})})


@settings(timeout=900)
def small(w):
    for name, size in (("MobileNet25", 128), ("SqueezeNet", 127), ("MobileNet35v2", 96)):
        _run(w, name, size)


@settings(timeout=900)
def training(w):
    for name in ("MobileNet50", "ResNet50"):
        _run(w, name, 64, training=True)


@settings(timeout=900)
def large(w):
    for name, size in (("Inception1", 128), ("DenseNet121", 96), ("ResNet50v2", 96), ("VGG16", 64)):
        _run(w, name, size)


@settings(timeout=900)
def efficient(w):
    for name, size in (("EfficientNetB0", 96), ("NASNetAmobile", 96), ("MobileNet100v3small", 96)):
        _run(w, name, size)
