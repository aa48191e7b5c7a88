"""Mask R-CNN as a fork of matterport's has it (Keras 2.2.4 before): detects by weights, and trains its heads
on pictures with two shapes."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import shutil

import numpy as np
from kit import carried, fill, settings

REPOSITORY = "https://github.com/gabrielgarza/Mask_RCNN"
COMMIT = "1f6455ad6bd35373c832053307b956ab435ef262"

_SIZES = {
    "NAME": "tiny", "IMAGES_PER_GPU": 1, "NUM_CLASSES": 3, "IMAGE_MIN_DIM": 64, "IMAGE_MAX_DIM": 64,
    "RPN_ANCHOR_SCALES": (4, 8, 16, 32, 64), "TRAIN_ROIS_PER_IMAGE": 8, "POST_NMS_ROIS_TRAINING": 16,
    "POST_NMS_ROIS_INFERENCE": 16, "RPN_TRAIN_ANCHORS_PER_IMAGE": 2000, "STEPS_PER_EPOCH": 2,
    "VALIDATION_STEPS": 1, "BACKBONE": "resnet50", "DETECTION_MIN_CONFIDENCE": 0.0, "MAX_GT_INSTANCES": 5,
    "DETECTION_MAX_INSTANCES": 6, "USE_RPN_ROIS": True,
}  # fmt: skip


def _model(mode):
    from mrcnn import config, model

    made = type("Tiny", (config.Config,), dict(_SIZES))()
    return model.MaskRCNN(mode=mode, config=made, model_dir="logs")


def _image(number):
    image = np.random.RandomState(number).randint(0, 50, (64, 64, 3)).astype(np.uint8)
    image[10:30, 10:30] = 200
    image[40:48, 5:60] = 150
    return image


def _pictures(count):
    from mrcnn import utils

    class Shapes(utils.Dataset):
        def load_image(self, image_id):
            return _image(image_id)

        def load_mask(self, image_id):
            mask = np.zeros((64, 64, 2), bool)
            mask[10:30, 10:30, 0] = True
            mask[40:48, 5:60, 1] = True
            return mask, np.array([1, 2], np.int32)

    shapes = Shapes()
    for number, name in enumerate(["square", "bar"], 1):
        shapes.add_class("shapes", number, name)
    for number in range(count):
        shapes.add_image("shapes", image_id=number, path=None)
    shapes.prepare()
    return shapes


@carried
def weights(w):
    model = _model("inference").keras_model
    fill(model, np.random.RandomState(0), 0.7, vectors=False).save_weights("tiny.h5")


@settings(timeout=1800)
def detect(w):
    model = _model("inference")
    model.load_weights("tiny.h5", by_name=True)
    for number in range(2):
        found = model.detect([_image(number)], verbose=0)[0]
        w.dump(**{f"{name}_{number}": value for name, value in found.items()})


@settings(timeout=1800, tolerance=5e-5, why="losses of 20, behind fifty layers and steps with momentum")
def train(w):
    """Each anchor counts, and boxes and pictures come in their order; Keras 3 prints its own bars."""
    import tensorflow as tf

    multiprocessing.cpu_count = lambda: 0
    np.random.shuffle = lambda values: None
    tf.random_shuffle = tf.random.shuffle = lambda values: values
    model = _model("training")
    model.load_weights("tiny.h5", by_name=True)
    model.log_dir, model.checkpoint_path = "logs", "logs/{epoch:04d}.h5"
    model.set_log_dir = lambda path=None: None
    with contextlib.redirect_stdout(io.StringIO()):
        model.train(_pictures(2), _pictures(1), learning_rate=0.001, epochs=1, layers="heads")
    w.dump(**model.keras_model.history.history)
    shutil.rmtree("logs")
