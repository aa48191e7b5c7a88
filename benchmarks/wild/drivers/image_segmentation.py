"""divamgupta/image-segmentation-keras (Keras 2.3 before, 2.2.4 here): trains from files,
goes on from checkpoints, predicts and evaluates."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, fill, picture, settings, under

REPOSITORY = "https://github.com/divamgupta/image-segmentation-keras"
COMMIT = "1b2ba53ae49387c2d1abbd9a2f4a9a45eea6912f"


@carried
def data(w):
    import cv2

    random = np.random.RandomState(0)
    for part in ("train", "test"):
        for i in range(4):
            picture(f"tiny/{part}/{i}.png", 64, 64, seed=i)
            os.makedirs(f"tiny/{part}_marks", exist_ok=True)
            marks = np.zeros((64, 64, 3), np.uint8)
            x, y = random.randint(0, 40, 2)
            marks[y:y + 20, x:x + 20] = 1 + i % 2
            cv2.imwrite(f"tiny/{part}_marks/{i}.png", marks)
    os.makedirs("made", exist_ok=True)


@carried
def weights(w):
    from keras_segmentation.models.unet import unet

    _fill(unet(3, input_height=64, input_width=64)).save_weights("begun.h5")


def _fill(net):
    return fill(net, np.random.RandomState(0), 1.2)


def _as_in_keras_2_3(w):
    """Its `fit` took generators, too."""
    from keras.models import Model

    if not w.after:
        Model.fit = lambda self, batches, **others: self.fit_generator(batches, **others)


_WHERE = "keras_segmentation/models/basic_models.py"


@under("TF316", _WHERE, "its moving averages were those of the batches since training began")
@settings(timeout=1800)
def train(w):
    """With checkpoints, by SGD; prints the bars of its Keras."""
    from keras_segmentation.models.unet import unet

    _as_in_keras_2_3(w)
    net = _fill(unet(3, input_height=64, input_width=64))
    net.train("tiny/train/", "tiny/train_marks/", n_classes=3, steps_per_epoch=2, epochs=2, batch_size=2,
              optimizer_name="sgd", checkpoints_path="kept/unet", validate=True, val_images="tiny/test/",
              val_annotations="tiny/test_marks/", val_steps_per_epoch=2)  # fmt: skip
    image = np.random.RandomState(1).randint(0, 255, (64, 64, 3)).astype("uint8")
    w.dump(found=net.predict_segmentation(image), kernels=[v for v in net.get_weights() if v.ndim > 1],
           kept=sorted(os.listdir("kept")))  # fmt: skip


@under("TF316", _WHERE, "its moving averages were those of the batches since training began")
@settings(timeout=1800)
def go_on(w):
    """From the last checkpoint, without what has zeros."""
    from keras_segmentation.models.unet import unet

    _as_in_keras_2_3(w)
    net = unet(3, input_height=64, input_width=64)
    net.train("tiny/train/", "tiny/train_marks/", n_classes=3, steps_per_epoch=2, epochs=3, batch_size=2,
              optimizer_name="sgd", checkpoints_path="kept/unet", auto_resume_checkpoint=True,
              ignore_zero_class=True)  # fmt: skip
    w.dump(kernels=[v for v in net.get_weights() if v.ndim > 1], kept=sorted(os.listdir("kept")))


@settings(timeout=1800)
def predict(w):
    """By a checkpoint of the original."""
    from keras_segmentation.models.unet import unet
    from keras_segmentation.predict import evaluate, predict_multiple

    net = unet(3, input_height=64, input_width=64)
    net.load_weights("begun.h5")
    made = predict_multiple(net, inp_dir="tiny/test/", out_dir="made", overlay_img=True)
    scores = evaluate(net, inp_images_dir="tiny/test/", annotations_dir="tiny/test_marks/")
    w.dump(made=made, scores=scores)


@under("TF142", "keras_segmentation/models/model_utils.py", "bilinear resizing began at corners")
@settings(timeout=1800)
def networks(w):
    """Of every decoder."""
    import keras.models
    import keras.utils
    import tensorflow as tf

    keras.utils.get_file = tf.keras.utils.get_file = lambda *a, **k: ""
    keras.models.Model.load_weights = lambda *a, **k: None
    from keras_segmentation.models.all_models import model_from_name

    for name, size in (("fcn_8", 64), ("pspnet", 192), ("segnet", 64), ("vgg_unet", 64)):
        net = _fill(model_from_name[name](3, input_height=size, input_width=size))
        image = np.random.RandomState(1).uniform(size=(1, size, size, 3)).astype("f")
        w.dump(**{name: net.predict(image)[:, ::97]})
