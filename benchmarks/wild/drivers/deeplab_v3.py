"""sthalles/deeplab_v3: the network, its preprocessing, and the loss on valid pixels."""

from __future__ import annotations

import numpy as np

REPOSITORY = "https://github.com/sthalles/deeplab_v3"
COMMIT = "c74c0f0d1800a05dd5d69fc0ea6c5280fddf3f17"


def network(w):
    from types import SimpleNamespace

    import network as repository

    args = SimpleNamespace(l2_regularizer=0.0001, batch_norm_decay=0.9, batch_norm_epsilon=1e-5,
                           resnet_model="resnet_v2_50", number_of_classes=4, output_stride=16)  # fmt: skip
    x = np.random.RandomState(0).uniform(0, 255, (1, 65, 65, 3)).astype("f")
    w.dump(logits=w.call(lambda x: repository.deeplab_v3(x, args, is_training=False, reuse=None), x))
    w.dump(trained=w.call(lambda x: repository.deeplab_v3(x, args, is_training=True, reuse=None), x))


def labels(w):
    from preprocessing import training

    random = np.random.RandomState(0)
    annotation = random.choice([0, 1, 2, 255], (2, 5, 5)).astype(np.int32)
    logits = random.randn(2, 5, 5, 3).astype("f")
    w.dump(valid=w.call(lambda a, x: training.get_valid_logits_and_labels(a, x, [0, 1, 2, 255]),
                        annotation, logits))  # fmt: skip


def metrics(w):
    import metrics as repository

    random = np.random.RandomState(0)
    found, true = random.randint(0, 3, (2, 8, 8))
    names = ("pixel_accuracy", "mean_accuracy", "mean_IU", "frequency_weighted_IU")
    w.dump(**{name: getattr(repository, name)(found, true) for name in names})


def augment(w):
    """What training does to pictures, with random numbers."""
    from preprocessing import read_data

    random = np.random.RandomState(0)
    picture = random.randint(0, 256, (40, 36, 3)).astype(np.uint8)
    annotation = random.randint(0, 21, (40, 36, 1)).astype(np.uint8)
    shape = np.asarray([40, 36], np.int32)
    w.dump(flipped=w.call(read_data.random_flip_image_and_annotation, picture, annotation, shape))
