"""tf.contrib.lookup: tables between strings or numbers and ids, on the tables of tf.lookup."""

from __future__ import annotations

import collections
from typing import Any

import tensorflow as tf

HasherSpec = collections.namedtuple("HasherSpec", ["hasher", "key"])
FastHashSpec = HasherSpec("fasthash", None)


def StrongHashSpec(key: Any) -> HasherSpec:
    """Hashing with a key of two numbers, which an adversary cannot foresee."""
    if len(key) != 2:
        raise ValueError(f"key must have size 2, but received {key}")
    return HasherSpec("stronghash", key)


class LookupTable:
    """A table of tf.lookup that takes keys of `key_dtype`, dense or sparse."""

    def __init__(self, table: Any, key_dtype: Any) -> None:
        self.table, self.key_dtype = table, tf.as_dtype(key_dtype)
        self.value_dtype = table.value_dtype
        self.init = self.initializer = None  # tables are filled when they are made
        self.name = table.name

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of the keys. Raises TypeError for keys of another dtype."""
        if isinstance(keys, tf.SparseTensor):
            return keys.with_values(self.lookup(keys.values))
        keys = tf.convert_to_tensor(keys)
        if keys.dtype != self.key_dtype:
            raise TypeError(f"keys are {keys.dtype.name}, the table has {self.key_dtype.name}")
        return self._values(keys)

    def _values(self, keys: tf.Tensor) -> tf.Tensor:
        wanted = self.table.key_dtype
        return self.table.lookup(keys if keys.dtype == wanted else tf.cast(keys, wanted))

    def size(self, name: str | None = None) -> tf.Tensor:
        """How many values there are."""
        return self.table.size()


class IdTableWithHashBuckets(LookupTable):
    """Ids of a table; keys that it does not know get an id of a bucket behind them."""

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: Any = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        self.inner, self.num_oov_buckets, self.hasher_spec = table, num_oov_buckets, hasher_spec
        self.table = table.table if isinstance(table, LookupTable) else table
        self.key_dtype = tf.as_dtype(key_dtype or (table.key_dtype if table else tf.string))
        self.value_dtype, self.name = tf.int64, name or "string_to_index"
        self.init = self.initializer = None

    def _values(self, keys: tf.Tensor) -> tf.Tensor:
        text = keys if keys.dtype == tf.string else tf.as_string(keys)
        if self.num_oov_buckets == 0:
            return super()._values(keys)
        if self.hasher_spec.hasher == "fasthash":
            buckets = tf.strings.to_hash_bucket_fast(text, self.num_oov_buckets)
        else:
            key = list(self.hasher_spec.key)
            buckets = tf.strings.to_hash_bucket_strong(text, self.num_oov_buckets, key)
        if self.table is None:
            return buckets
        ids = super()._values(keys)
        known = tf.not_equal(ids, self.table.default_value)
        return tf.where(known, ids, buckets + self.table.size())

    def size(self, name: str | None = None) -> tf.Tensor:
        """Ids of the table and of the buckets."""
        known = self.table.size() if self.table is not None else tf.constant(0, tf.int64)
        return known + self.num_oov_buckets


def _index(
    initializer: Any, num_oov_buckets: int, default_value: int, hasher_spec: Any, dtype: Any
) -> LookupTable:
    table = tf.lookup.StaticHashTable(initializer, default_value)
    if num_oov_buckets:
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, None, dtype)
    return LookupTable(table, dtype)


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    dtype: Any = tf.string,
    name: str | None = None,
) -> LookupTable:
    """Position in `mapping` of each key; unknown ones are `default_value` or hashed."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    keys = tf.reshape(tf.convert_to_tensor(mapping), [-1])
    if keys.dtype.is_integer:
        keys = tf.cast(keys, tf.int64)
    ids = tf.range(tf.size(keys, tf.int64))
    start = tf.lookup.KeyValueTensorInitializer(keys, ids)
    return _index(start, num_oov_buckets, default_value, hasher_spec, dtype)


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    key_dtype: Any = tf.string,
    name: str | None = None,
    key_column_index: int = tf.lookup.TextFileIndex.WHOLE_LINE,
    value_column_index: int = tf.lookup.TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> LookupTable:
    """The line number of each key in a file of one key a line."""
    if not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    kind = tf.int64 if tf.as_dtype(key_dtype).is_integer else key_dtype
    start = tf.lookup.TextFileInitializer(
        vocabulary_file, kind, key_column_index, tf.int64, value_column_index, vocab_size, delimiter
    )
    return _index(start, num_oov_buckets, default_value, hasher_spec, key_dtype)


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> LookupTable:
    """Old name of `index_table_from_tensor`."""
    return index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec)


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> LookupTable:
    """Old name of `index_table_from_file`."""
    return index_table_from_file(
        vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec
    )


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> LookupTable:
    """The string at each position of `mapping`."""
    values = tf.reshape(tf.convert_to_tensor(mapping, tf.string), [-1])
    ids = tf.range(tf.size(values, tf.int64))
    start = tf.lookup.KeyValueTensorInitializer(ids, values)
    return LookupTable(tf.lookup.StaticHashTable(start, default_value), tf.int64)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: str = "UNK",
    name: str | None = None,
    key_column_index: int = tf.lookup.TextFileIndex.LINE_NUMBER,
    value_column_index: int = tf.lookup.TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> LookupTable:
    """The line of a file at each line number."""
    if not vocabulary_file:
        raise ValueError("vocabulary_file must be specified.")
    start = tf.lookup.TextFileInitializer(
        vocabulary_file, tf.int64, key_column_index, tf.string, value_column_index, vocab_size,
        delimiter,
    )  # fmt: skip
    return LookupTable(tf.lookup.StaticHashTable(start, default_value), tf.int64)


def string_to_index(
    tensor: Any, mapping: Any, default_value: int = -1, name: str | None = None
) -> Any:
    """Positions of strings in `mapping`."""
    return index_table_from_tensor(mapping, default_value=default_value).lookup(tensor)


def index_to_string(
    tensor: Any, mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """Strings of `mapping` at positions."""
    return index_to_string_table_from_tensor(mapping, default_value).lookup(tensor)


def TextFileIdTableInitializer(
    filename: Any,
    key_column_index: int = tf.lookup.TextFileIndex.WHOLE_LINE,
    value_column_index: int = tf.lookup.TextFileIndex.LINE_NUMBER,
    vocab_size: int | None = None,
    delimiter: str = "\t",
    name: str = "text_file_id_table_init",
    key_dtype: Any = tf.string,
) -> Any:
    """Fills a table with strings of a file as keys and line numbers as values."""
    return tf.lookup.TextFileInitializer(
        filename, key_dtype, key_column_index, tf.int64, value_column_index, vocab_size, delimiter
    )


def TextFileStringTableInitializer(
    filename: Any,
    key_column_index: int = tf.lookup.TextFileIndex.LINE_NUMBER,
    value_column_index: int = tf.lookup.TextFileIndex.WHOLE_LINE,
    vocab_size: int | None = None,
    delimiter: str = "\t",
    name: str = "text_file_string_table_init",
) -> Any:
    """Fills a table with line numbers of a file as keys and its lines as values."""
    return tf.lookup.TextFileInitializer(
        filename, tf.int64, key_column_index, tf.string, value_column_index, vocab_size, delimiter
    )
