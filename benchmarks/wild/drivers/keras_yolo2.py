"""experiencor/keras-yolo2 (Keras 2.0.8 before, 2.2.4 here): trains the tiny network on pictures with
boxes, and finds boxes."""

from __future__ import annotations

import json

import numpy as np
from kit import carried, fill, picture, settings, under, write

REPOSITORY = "https://github.com/experiencor/keras-yolo2"
COMMIT = "8bc3fcdc123a5d6b9624ed4188e07b876b79dac5"

_ANCHORS = [0.57, 0.68, 1.87, 2.06, 1.3, 0.5]
_VOC = """<annotation><filename>{0}.jpg</filename>
<size><width>64</width>
<height>64</height></size>
{1}</annotation>"""
_OBJECT = """<object><name>{}</name>
<bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>
</object>"""
# imgaug runs on no NumPy of today, and draws; the threads of generators draw from the program's own numbers;
# Adam of Keras 2 counts its steps before or after it asks for their number; OpenCV's letters have changed.
_AHEAD = """
import sys, types, keras.optimizers
aug = types.ModuleType('imgaug')
aug.augmenters = types.ModuleType('imgaug.augmenters')
for name in ('Sequential Sometimes Affine SomeOf OneOf GaussianBlur AverageBlur MedianBlur Sharpen '
             'AdditiveGaussianNoise Dropout Add Multiply ContrastNormalization').split():
    setattr(aug.augmenters, name, lambda *a, **k: None)
sys.modules.update({'imgaug': aug, 'imgaug.augmenters': aug.augmenters})
class Adam(keras.optimizers.SGD):
    def __init__(self, lr=0.0, learning_rate=0.0, **others):
        super(Adam, self).__init__(lr or learning_rate)
keras.optimizers.Adam = Adam
import preprocessing, numpy
drawn = preprocessing.BatchGenerator.aug_image
preprocessing.BatchGenerator.aug_image = lambda self, one, jitter: drawn(self, one, False)
numpy.random.shuffle = lambda values: None
import cv2
cv2.putText = lambda image, words, *others: print(words)
import keras.models
keras.models.Model.summary = lambda self: None
"""


@carried
def data(w):
    random = np.random.RandomState(0)
    for i in range(4):
        picture(f"pictures/{i}.jpg", 64, 64, seed=i)
        found = ""
        for _ in range(2):
            x, y = random.randint(0, 30, 2)
            found += _OBJECT.format("ab"[random.randint(2)], x, y, x + random.randint(10, 30),
                                    y + random.randint(10, 30))  # fmt: skip
        write(f"boxes/{i}.xml", _VOC.format(i, found))
    write("tiny.json", json.dumps({
        "model": {"backend": "Tiny Yolo", "input_size": 64, "anchors": _ANCHORS, "max_box_per_image": 4,
                  "labels": ["a", "b"]},
        "train": {"train_image_folder": "pictures/", "train_annot_folder": "boxes/", "train_times": 1,
                  "pretrained_weights": "whole.h5", "batch_size": 2, "learning_rate": 1e-4, "nb_epochs": 1,
                  "warmup_epochs": 1, "object_scale": 5.0, "no_object_scale": 1.0, "coord_scale": 1.0,
                  "class_scale": 1.0, "saved_weights_name": "trained.h5", "debug": False},
        "valid": {"valid_image_folder": "pictures/", "valid_annot_folder": "boxes/", "valid_times": 1},
    }))  # fmt: skip


@carried
def weights(w):
    exec(_AHEAD, {})
    import backend
    import keras.models
    from frontend import YOLO

    random, load = np.random.RandomState(0), keras.models.Model.load_weights
    keras.models.Model.load_weights = lambda self, path: None
    network = backend.TinyYoloFeature(64).feature_extractor
    fill(network, random, 0.7).save_weights("tiny_yolo_backend.h5")
    keras.models.Model.load_weights = load
    whole = YOLO("Tiny Yolo", 64, ["a", "b"], 4, _ANCHORS).model
    whole.layers[-4].set_weights([random.normal(size=v.shape) * 0.02 for v in whole.layers[-4].get_weights()])
    whole.save_weights("whole.h5")


@under("TF316", "backend.py", "its moving averages were those of the batches since training began")
@settings(timeout=1800)
def train(w):
    """Two epochs, of which the first warms up."""
    w.script("train.py", "-c", "tiny.json", ahead=_AHEAD, env={"HOME": "."})


@settings(timeout=1800)
def detect(w):
    w.script("predict.py", "-c", "tiny.json", "-w", "whole.h5", "-i", "pictures/0.jpg", ahead=_AHEAD)


@settings(timeout=1800)
def steps(w):
    """Batches of its generator, the first two of which warm up."""
    exec(_AHEAD, {})
    from frontend import YOLO
    from preprocessing import parse_annotation

    yolo = YOLO("Tiny Yolo", 64, ["a", "b"], 4, _ANCHORS)
    yolo.load_weights("whole.h5")
    images, _ = parse_annotation("boxes/", "pictures/", ["a", "b"])
    found = []

    def fit(generator=None, x=None, **others):
        batches = generator if x is None else x
        found.extend(yolo.model.train_on_batch(*batches[i % 2]) for i in range(4))

    yolo.model.fit = yolo.model.fit_generator = fit
    yolo.evaluate = lambda generator: {0: 0.0}
    yolo.train(images, images, 1, 0, 1, 1e-5, 2, 1, 5.0, 1.0, 1.0, 1.0)
    w.dump(losses=found, detector=yolo.model.layers[-4].get_weights())
