"""hellochick/ICNet-tensorflow: segments pictures with both kinds of network, and augments them."""

from __future__ import annotations

import numpy as np
from kit import settings

REPOSITORY = "https://github.com/hellochick/ICNet-tensorflow"
COMMIT = "90a85c4e8b2da241128f6ddc0938ab5c4336a309"


@settings(timeout=900)
def predict(w):
    """As the notebooks do: a class with a session of its own."""
    from model import ICNet_BN
    from utils.config import Config

    Config.INFER_SIZE = [192, 192, 3]
    net = ICNet_BN(cfg=Config("cityscapes", is_training=False, filter_scale=1), mode="inference")
    net.create_session()
    picture = np.random.RandomState(0).randint(0, 256, (192, 192, 3))
    w.dump(colors=net.predict(picture))


def augment(w):
    from utils import image_reader

    random = np.random.RandomState(0)
    picture = random.uniform(0, 255, (20, 24, 3)).astype("f")
    label = random.randint(0, 19, (20, 24, 1)).astype(np.uint8)
    w.dump(mirrored=w.call(image_reader._image_mirroring, picture, label))
    w.dump(cropped=w.call(lambda p, y: image_reader._random_crop_and_pad_image_and_labels(
        p, y, 16, 30, 255), picture, label))  # fmt: skip
