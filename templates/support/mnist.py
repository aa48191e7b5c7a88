"""The MNIST loader of TensorFlow's tutorials: arrays of digits, batch by batch."""
from __future__ import annotations

import gzip
import os
import struct
import urllib.request
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from .draws import global_seed

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_FILES = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
          "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz")


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """The path of a file, downloaded from `source_url` unless it is there."""
    os.makedirs(work_directory, exist_ok=True)
    path = os.path.join(work_directory, filename)
    if not os.path.exists(path):
        partial = f"{path}.part"
        urllib.request.urlretrieve(source_url, partial)
        os.replace(partial, path)
    return path


def _read_idx(file: Any, magic: int, rank: int) -> np.ndarray:
    name = getattr(file, "name", file)
    print("Extracting", name)
    with gzip.open(file) as stream:
        content = stream.read()
    found, *shape = struct.unpack(f">{1 + rank}I", content[:4 * (1 + rank)])
    if found != magic:
        raise ValueError(f"{name}: invalid magic number {found}, not {magic}")
    return np.frombuffer(content, np.uint8, offset=4 * (1 + rank)).reshape(shape)


def extract_images(file: Any) -> np.ndarray:
    """Images [n, height, width, 1] uint8 of a gzipped IDX file, which is open or a path.

    Raises ValueError if it is none.
    """
    return _read_idx(file, 2051, 3)[..., np.newaxis]


def extract_labels(file: Any, one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """Labels [n] uint8, or one-hot [n, classes], of a gzipped IDX file. Raises ValueError."""
    labels = _read_idx(file, 2049, 1)
    return np.eye(num_classes)[labels] if one_hot else labels


class DataSet:
    """Images and labels, given out in shuffled batches.

    Args:
        images: [n, height, width, 1].
        labels: [n, ...].
        dtype: tf.float32 (the images are scaled to [0, 1]) or tf.uint8.
        reshape: Make the images flat, [n, height * width].
        seed: Of NumPy's global generator, which shuffles; without one that of the graph, if it has any.

    Raises:
        TypeError: `dtype` is another one.
        ValueError: there are not as many labels as images.
    """

    def __init__(self, images: Any, labels: Any, fake_data: bool = False, one_hot: bool = False,
                 dtype: Any = tf.float32, reshape: bool = True, seed: int | None = None) -> None:
        dtype = tf.as_dtype(dtype)
        if dtype not in (tf.uint8, tf.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self._one_hot = one_hot
        np.random.seed(global_seed() if seed is None else seed)
        if fake_data:
            images = np.ones([10000, 784], np.float32)
            labels = np.eye(10)[np.zeros(10000, int)] if one_hot else np.zeros(10000, np.uint8)
        elif len(images) != len(labels):
            raise ValueError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
        else:
            if reshape:
                images = images.reshape(len(images), -1)
            if dtype == tf.float32:
                images = images.astype(np.float32) * np.float32(1 / 255)
        self._images, self._labels = images, labels
        self._epochs_completed, self._start = 0, 0

    @property
    def images(self) -> np.ndarray:
        return self._images

    @property
    def labels(self) -> np.ndarray:
        return self._labels

    @property
    def num_examples(self) -> int:
        return len(self._images)

    @property
    def epochs_completed(self) -> int:
        return self._epochs_completed

    def _shuffle(self) -> None:
        order = np.arange(self.num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]

    def next_batch(self, batch_size: int, fake_data: bool = False,
                   shuffle: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """(images, labels) of the next examples; a batch may reach into the next epoch."""
        if fake_data:
            label = [1] + [0] * 9 if self._one_hot else 0
            return [[1] * 784] * batch_size, [label] * batch_size  # type: ignore[return-value]
        if shuffle and self._epochs_completed == 0 and self._start == 0:
            self._shuffle()
        start, end = self._start, self._start + batch_size
        if end <= self.num_examples:
            self._start = end
            return self._images[start:end], self._labels[start:end]
        images, labels = self._images[start:], self._labels[start:]
        self._epochs_completed += 1
        if shuffle:
            self._shuffle()
        self._start = batch_size - len(images)
        return (np.concatenate([images, self._images[:self._start]]),
                np.concatenate([labels, self._labels[:self._start]]))


class Datasets(NamedTuple):
    """The three parts of the data."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(train_dir: str, fake_data: bool = False, one_hot: bool = False,
                   dtype: Any = tf.float32, reshape: bool = True, validation_size: int = 5000,
                   seed: int | None = None,
                   source_url: str = DEFAULT_SOURCE_URL) -> Datasets:
    """Reads MNIST from `train_dir`, after downloading what is missing there.

    Raises:
        ValueError: a file is not MNIST, or `validation_size` is negative or too large.
    """
    options = {"one_hot": one_hot, "dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        parts = [DataSet([], [], fake_data=True, **options) for _ in range(3)]
        return Datasets(*parts)
    paths = [maybe_download(name, train_dir, (source_url or DEFAULT_SOURCE_URL) + name)
             for name in _FILES]
    images, test_images = extract_images(paths[0]), extract_images(paths[2])
    labels, test_labels = extract_labels(paths[1], one_hot), extract_labels(paths[3], one_hot)
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"Validation size should be between 0 and {len(images)}. Received: "
                         f"{validation_size}.")
    return Datasets(DataSet(images[validation_size:], labels[validation_size:], **options),
                    DataSet(images[:validation_size], labels[:validation_size], **options),
                    DataSet(test_images, test_labels, **options))
