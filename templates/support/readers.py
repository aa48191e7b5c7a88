"""TF 1's readers, which take the files that a queue of a graph names, record by record."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import tensorflow as tf

from .graphs import default_graph


class Record(NamedTuple):
    """What `read` gives: the key ("file:number") and the value."""

    key: tf.Tensor
    value: tf.Tensor


class ReaderBase:
    """A reader; each session has one of its own."""

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        self.reader_ref, self.supports_serialize = reader_ref, supports_serialize

    def read(self, queue: Any, name: str | None = None) -> Record:
        """The next record (key, value) of the files in the queue."""
        return Record(*tf.raw_ops.ReaderReadV2(
            reader_handle=self.reader_ref, queue_handle=_handle(queue), name=name))

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Record:
        """At most `num_records` records: keys and values, each of shape [n]."""
        return Record(*tf.raw_ops.ReaderReadUpToV2(
            reader_handle=self.reader_ref, queue_handle=_handle(queue), num_records=num_records,
            name=name))

    def num_records_produced(self, name: str | None = None) -> tf.Tensor:
        return tf.raw_ops.ReaderNumRecordsProducedV2(reader_handle=self.reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> tf.Tensor:
        return tf.raw_ops.ReaderNumWorkUnitsCompletedV2(reader_handle=self.reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> tf.Tensor:
        return tf.raw_ops.ReaderSerializeStateV2(reader_handle=self.reader_ref, name=name)

    def restore_state(self, state: Any, name: str | None = None) -> tf.Operation:
        return tf.raw_ops.ReaderRestoreStateV2(
            reader_handle=self.reader_ref, state=state, name=name)

    def reset(self, name: str | None = None) -> tf.Operation:
        return tf.raw_ops.ReaderResetV2(reader_handle=self.reader_ref, name=name)


def _reader(make: Callable[..., Any], name: str | None, **options: Any) -> tf.Tensor:
    """The handle of a reader of the graph."""
    return default_graph().resource(
        lambda own: make(shared_name=own, **options), name or make.__name__)


def _handle(queue: Any) -> Any:
    return getattr(queue, "queue_ref", queue)


class WholeFileReader(ReaderBase):
    """Gives whole files; the key is the file's name."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_reader(tf.raw_ops.WholeFileReaderV2, name), True)


class IdentityReader(ReaderBase):
    """Gives what the queue has, as key and as value."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_reader(tf.raw_ops.IdentityReaderV2, name), True)


class TextLineReader(ReaderBase):
    """Gives the lines of files, without their ends."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(_reader(tf.raw_ops.TextLineReaderV2, name,
                                 skip_header_lines=skip_header_lines or 0))


class TFRecordReader(ReaderBase):
    """Gives the records of TFRecord files."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        kind = getattr(options, "compression_type", options) or ""
        names = {0: "", 1: "ZLIB", 2: "GZIP"}  # TFRecordCompressionType
        super().__init__(_reader(tf.raw_ops.TFRecordReaderV2, name,
                                 compression_type=names.get(kind, kind)))


class FixedLengthRecordReader(ReaderBase):
    """Gives records of `record_bytes` bytes, between a header and a footer of each file."""

    def __init__(self, record_bytes: int, header_bytes: int | None = None,
                 footer_bytes: int | None = None, hop_bytes: int | None = None,
                 name: str | None = None, encoding: str | None = None) -> None:
        super().__init__(_reader(
            tf.raw_ops.FixedLengthRecordReaderV2, name,
            record_bytes=record_bytes, header_bytes=header_bytes or 0,
            footer_bytes=footer_bytes or 0, hop_bytes=hop_bytes or 0, encoding=encoding or ""))


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file, one by one; it reads them at once, also where a graph is built."""
    packed = tf.io.TFRecordOptions.get_compression_type_string(options)
    with tf.init_scope():
        records = tf.data.TFRecordDataset(path, packed).as_numpy_iterator()
    while True:
        with tf.init_scope():
            record = next(records, None)
        if record is None:
            return
        yield record
