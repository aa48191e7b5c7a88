"""Zehaos/MobileNet: trains its network on records as slim does, also with clones, and goes on."""

from __future__ import annotations

import numpy as np
from kit import carried, settings, under

REPOSITORY = "https://github.com/Zehaos/MobileNet"
COMMIT = "bb02b10fbd211d717f7a207245feac229f6bb23e"

_RECORDS = (
    "--dataset_dir=records", "--dataset_name=cifar10", "--num_preprocessing_threads=1", "--batch_size=2",
)  # fmt: skip
_TRAIN = (
    *_RECORDS, "--train_dir=trained", "--model_name=mobilenet", "--width_multiplier=0.25",
    "--train_image_size=224", "--num_readers=1", "--log_every_n_steps=1", "--clone_on_cpu=True",
)  # fmt: skip


@carried
def records(w):
    """Pictures like CIFAR-10's. Those for training are all the same, as they are read in any order."""
    import os

    import tensorflow as tf

    os.makedirs("records", exist_ok=True)
    for split, seeds in (("train", [1] * 4), ("test", range(4))):
        with tf.python_io.TFRecordWriter(f"records/cifar10_{split}.tfrecord") as writer:
            for seed in seeds:
                picture = np.random.RandomState(seed).randint(0, 256, (32, 32, 3)).astype(np.uint8)
                with tf.Session() as sess:
                    png = sess.run(tf.image.encode_png(picture))
                feature = {
                    "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[png])),
                    "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"png"])),
                    "image/class/label": tf.train.Feature(int64_list=tf.train.Int64List(value=[seed])),
                }
                features = tf.train.Features(feature=feature)
                writer.write(tf.train.Example(features=features).SerializeToString())


_READ = under("TF503", "train_image_classifier.py", "how full the provider's queues were is no more")


@_READ
@settings(timeout=1800)
def train(w):
    w.script("train_image_classifier.py", *_TRAIN, "--max_number_of_steps=2", "--learning_rate=0.001")


@_READ
@settings(timeout=1800)
def clones(w):
    """Two of them, by another optimizer, with averages of the variables."""
    w.script("train_image_classifier.py", *_TRAIN, "--train_dir=cloned", "--max_number_of_steps=2",
             "--num_clones=2", "--optimizer=adam", "--learning_rate=0.001",
             "--moving_average_decay=0.9")  # fmt: skip


@_READ
@settings(timeout=1800)
def go_on(w):
    w.script("train_image_classifier.py", *_TRAIN, "--train_dir=again", "--checkpoint_path=trained",
             "--max_number_of_steps=1", "--checkpoint_exclude_scopes=MobileNet/fc_16",
             "--learning_rate_decay_type=polynomial", "--optimizer=momentum")  # fmt: skip
