"""slim's data sets of record files, read through tf.data instead of queues.

Where a graph is being built, what is read is that of the next record at each run.
"""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from .iterators import make_one_shot_iterator
from .store import builds_graph


def get_data_files(data_sources: str | Iterable[str]) -> list[str]:
    """The files that a pattern, or a list of files and patterns, stands for.

    Raises:
        ValueError: there are none.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [file for source in data_sources for file in get_data_files(source)]
    else:
        source = os.fspath(data_sources)  # type: ignore[arg-type]
        files = tf.io.gfile.glob(source) if set(source) & set("*?[") else [source]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files


def _records(reader_class: Any, options: Mapping[str, Any], path: tf.Tensor) -> tf.data.Dataset:
    """Pairs (key, record) of a file; a key is the path, a colon, and the record's number."""
    name = getattr(reader_class, "__name__", str(reader_class))
    if name.startswith("TextLine"):
        skipped = options.get("skip_header_lines", 0)
        records = tf.data.TextLineDataset(path).skip(skipped)
    elif name.startswith("WholeFile"):
        records = tf.data.Dataset.from_tensors(path).map(tf.io.read_file)
    elif name.startswith("TFRecord"):
        records = tf.data.TFRecordDataset(path)
    else:
        records = reader_class(path, **options)
    return records.enumerate().map(
        lambda number, record: (tf.strings.join([path, tf.as_string(number)], ":"), record))


def read_records(data_sources: str | Iterable[str], reader_class: Any = tf.data.TFRecordDataset,
                 num_epochs: int | None = None, num_readers: int = 1,
                 reader_kwargs: Mapping[str, Any] | None = None, shuffle: bool = False,
                 capacity: int = 256, seed: int | None = None) -> tf.data.Dataset:
    """A data set of pairs (key, record) of record files.

    Args:
        data_sources: Files or patterns.
        reader_class: `tf.data.TFRecordDataset`, `tf.data.TextLineDataset` (a TF 1 reader class is
            told by its name), or a function from a path to a data set.
        num_epochs: How often to read everything; None: for ever.
        num_readers: How many files to read at once.
        shuffle: Shuffle the files, and the records in a buffer of `capacity`.

    Raises:
        ValueError: there are no files.
    """
    files = get_data_files(data_sources)
    dataset = tf.data.Dataset.from_tensor_slices(files)
    if shuffle:
        dataset = dataset.shuffle(len(files), seed)
    dataset = dataset.repeat(num_epochs).interleave(
        lambda path: _records(reader_class, dict(reader_kwargs or {}), path),
        cycle_length=num_readers, num_parallel_calls=num_readers, deterministic=not shuffle)
    return dataset.shuffle(capacity, seed) if shuffle else dataset


def parallel_read(data_sources: str | Iterable[str], reader_class: Any,
                  num_epochs: int | None = None, num_readers: int = 4,
                  reader_kwargs: Mapping[str, Any] | None = None, shuffle: bool = True,
                  dtypes: Any = None, capacity: int = 256, min_after_dequeue: int = 128,
                  seed: int | None = None, scope: str | None = None) -> tuple[tf.Tensor, tf.Tensor]:
    """A pair (key, record) of `read_records`, the first one where no graph is being built."""
    return make_one_shot_iterator(read_records(
        data_sources, reader_class, num_epochs, num_readers, reader_kwargs, shuffle, capacity, seed,
    )).get_next()


def single_pass_read(data_sources: str | Iterable[str], reader_class: Any,
                     reader_kwargs: Mapping[str, Any] | None = None,
                     scope: str | None = None) -> tuple[tf.Tensor, tf.Tensor]:
    """The same of the files in their order, once."""
    return parallel_read(data_sources, reader_class, 1, 1, reader_kwargs, shuffle=False)


class Dataset:
    """What there is to know about a data set: files, reader, decoder, size, descriptions."""

    def __init__(self, data_sources: Any, reader: Any, decoder: Any, num_samples: Any,
                 items_to_descriptions: Mapping[str, str], **kwargs: Any) -> None:
        self.data_sources, self.reader, self.decoder = data_sources, reader, decoder
        self.num_samples, self.items_to_descriptions = num_samples, items_to_descriptions
        self.__dict__.update(kwargs)


class DatasetDataProvider:
    """Decoded examples of a `Dataset`, one at a time (`get`) or as a tf.data.Dataset (`examples`).

    Raises:
        ValueError: `record_key` is the name of an item.
    """

    def __init__(self, dataset: Dataset, num_readers: int = 1,
                 reader_kwargs: Mapping[str, Any] | None = None, shuffle: bool = True,
                 num_epochs: int | None = None, common_queue_capacity: int = 256,
                 common_queue_min: int = 128, record_key: str = "record_key",
                 seed: int | None = None, scope: str | None = None) -> None:
        self._items = list(dataset.decoder.list_items())
        if record_key in self._items:
            raise ValueError("The item name used for `record_key` cannot also be used for a "
                             f"dataset item: {record_key}")
        self._num_samples = dataset.num_samples

        def decode(key: tf.Tensor, record: tf.Tensor) -> dict[str, Any]:
            values = dataset.decoder.decode(record, self._items)
            return {**dict(zip(self._items, values, strict=True)), record_key: key}

        self.examples = read_records(
            dataset.data_sources, dataset.reader, num_epochs, num_readers, reader_kwargs, shuffle,
            common_queue_capacity, seed).map(decode, num_parallel_calls=tf.data.AUTOTUNE)
        self._names = [*self._items, record_key]
        self._iterator: Any = None
        self._example: dict[str, Any] | None = None

    def list_items(self) -> list[str]:
        """The names of what `get` can give."""
        return list(self._names)

    def num_samples(self) -> Any:
        """How many examples the data set has."""
        return self._num_samples

    def get(self, items: Sequence[str]) -> list[Any]:
        """The `items` of the next example; in a graph all calls give those of one, another at each run.

        Raises:
            ValueError: there is no such item.
            tf.errors.OutOfRangeError: the last epoch is over.
        """
        unknown = [item for item in items if item not in self._names]
        if unknown:
            raise ValueError(f"Items {unknown} are not among {self._names}")
        if self._iterator is None:
            self._iterator = make_one_shot_iterator(self.examples)
        if self._example is None or not builds_graph():
            self._example = self._iterator.get_next()
        return [self._example[item] for item in items]
