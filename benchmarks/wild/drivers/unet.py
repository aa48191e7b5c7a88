"""jakeret/tf_unet: trains a U-Net on the circles that it draws itself, goes on and predicts."""

from __future__ import annotations

import numpy as np
from kit import settings

REPOSITORY = "https://github.com/jakeret/tf_unet"
COMMIT = "0dcdf2ff1ebcc2ee59997d127a0c0be847168884"


def _trained(w, place, restore=False, **how):
    from tf_unet import image_gen, unet, util

    np.random.seed(7)
    circles = image_gen.GrayScaleDataProvider(nx=72, ny=72, cnt=3, r_max=12, border=20, rectangles=False)
    kinds = {key: how.pop(key) for key in ("cost", "cost_kwargs") if key in how}
    net = unet.Unet(channels=circles.channels, n_class=circles.n_class, layers=2, features_root=4, **kinds)
    trainer = unet.Trainer(net, **{"optimizer": "momentum", "opt_kwargs": {"momentum": 0.2}, **how})
    path = trainer.train(circles, place, training_iters=3, epochs=2, dropout=0.75, display_step=2,
                         restore=restore, prediction_path=f"{place}_shown")  # fmt: skip
    pictures, labels = circles(2)
    found = net.predict(path, pictures)
    w.dump(found=found, error=unet.error_rate(found, util.crop_to_shape(labels, found.shape)))


@settings(timeout=900)
def train(w):
    _trained(w, "trained")


@settings(timeout=900)
def go_on(w):
    _trained(w, "trained", restore=True)


@settings(timeout=900)
def otherwise(w):
    _trained(w, "other", optimizer="adam", opt_kwargs={}, cost_kwargs={"regularizer": 0.01}, norm_grads=True)


@settings(timeout=900)
def dice(w):
    _trained(w, "dice", cost="dice_coefficient")
