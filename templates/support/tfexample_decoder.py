"""slim's decoders of serialized examples: which features to parse, and how items follow from them."""
from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

Tensors = Mapping[str, Any]


class ItemHandler(abc.ABC):
    """Makes one item (an image, boxes) from the parsed features called `keys`."""

    def __init__(self, keys: str | Sequence[str]) -> None:
        self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> Sequence[str]:
        """The names of the features that `tensors_to_item` wants."""
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        """The item, given the parsed features by name."""


class ItemHandlerCallback(ItemHandler):
    """An item that a function computes from the dict of its features."""

    def __init__(self, keys: str | Sequence[str], func: Callable[[Tensors], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        return self._func(keys_to_tensors)


def _prefixed(keys: Sequence[str] | None, default: Sequence[str], prefix: str | None,
              owner: str) -> tuple[Sequence[str], list[str]]:
    keys = default if keys is None else keys
    if len(keys) != len(default):
        raise ValueError(f"{owner} expects {len(default)} keys but got {len(keys)}")
    return keys, [(prefix or "") + key for key in keys]


class BoundingBox(ItemHandler):
    """Boxes [n, 4] whose four columns are features (sparse or dense) of n values each.

    Raises:
        ValueError: there are not four keys.
    """

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        self._prefix = prefix
        columns, self._full_keys = _prefixed(keys, ["ymin", "xmin", "ymax", "xmax"], prefix,
                                             "BoundingBox")
        super().__init__(self._full_keys)
        self._keys = columns

    @property
    def keys(self) -> Sequence[str]:
        return self._full_keys

    def tensors_to_item(self, keys_to_tensors: Tensors) -> tf.Tensor:
        sides = [keys_to_tensors[key] for key in self._full_keys]
        return tf.stack([side.values if isinstance(side, tf.SparseTensor) else side
                         for side in sides], axis=-1)


class _SparseColumns(ItemHandler):
    """Ragged per-frame features [time, n], put side by side as [time, n, columns]."""

    columns: Sequence[str] = ()

    def __init__(self, keys: Sequence[str] | None = None, prefix: str | None = None,
                 return_dense: bool = True, default_value: float = -1.0) -> None:
        self._prefix, self._return_dense, self._default_value = prefix, return_dense, default_value
        _, self._full_keys = _prefixed(keys, self.columns, prefix, type(self).__name__)
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        sides = []
        for key in self._full_keys:
            side = keys_to_tensors[key]
            shape = tf.concat([side.dense_shape, tf.constant([1], tf.int64)], 0)
            sides.append(tf.sparse.reshape(side, shape))
        item = tf.sparse.concat(2, sides)
        return tf.sparse.to_dense(item, self._default_value) if self._return_dense else item


class BoundingBoxSequence(_SparseColumns):
    """Boxes [time, n, 4] of a video; empty places hold `default_value`.

    Raises:
        ValueError: there are not four keys.
    """

    columns = ("ymin", "xmin", "ymax", "xmax")


class KeypointsSequence(_SparseColumns):
    """Keypoints [time, n, 2] of a video; empty places hold `default_value`.

    Raises:
        ValueError: there are not two keys.
    """

    columns = ("y", "x")


class NumBoxesSequence(ItemHandler):
    """How many boxes each frame has, [time] int64, counted in sparse features [time, n].

    Args:
        check_consistency: Raise tf.errors.InvalidArgumentError if the features disagree.

    Raises:
        ValueError: there are no keys, or (when decoding) a feature is not sparse.
    """

    def __init__(self, keys: str | Sequence[str] | None = None,
                 check_consistency: bool = True) -> None:
        if not keys:
            raise ValueError("keys must not be empty")
        self._check_consistency = check_consistency
        super().__init__(keys)

    def tensors_to_item(self, keys_to_tensors: Tensors) -> tf.Tensor:
        counts = [self._count(keys_to_tensors[key]) for key in self._keys]
        checks = [tf.debugging.assert_equal(counts[0], count) for count in counts[1:]
                  ] if self._check_consistency else []
        with tf.control_dependencies([check for check in checks if check is not None]):
            return tf.identity(counts[0])

    @staticmethod
    def _count(boxes: Any) -> tf.Tensor:
        if not isinstance(boxes, tf.SparseTensor):
            raise ValueError(f"boxes must be a tf.SparseTensor, not {type(boxes).__name__}")
        last = tf.math.unsorted_segment_max(boxes.indices[:, 1] + 1, boxes.indices[:, 0],
                                            boxes.dense_shape[0])
        return tf.maximum(last, 0)  # the segments of frames without boxes hold the smallest int64


class Tensor(ItemHandler):
    """A feature as a dense tensor, reshaped to `shape` or to what the `shape_keys` say.

    Args:
        default_value: What fills the gaps of a sparse feature.

    Raises:
        ValueError: both `shape_keys` and `shape` are given.
    """

    def __init__(self, tensor_key: str, shape_keys: str | list[str] | None = None,
                 shape: Any = None, default_value: Any = 0) -> None:
        if shape_keys and shape is not None:
            raise ValueError("give either shape_keys or shape")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [str(shape_keys)]
        self._tensor_key, self._shape_keys = tensor_key, shape_keys
        self._shape, self._default_value = shape, default_value
        super().__init__([tensor_key, *(shape_keys or [])])

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        tensor, shape = keys_to_tensors[self._tensor_key], self._shape
        if self._shape_keys:
            sizes = [keys_to_tensors[key] for key in self._shape_keys]
            sizes = [tf.sparse.to_dense(size) if isinstance(size, tf.SparseTensor) else size
                     for size in sizes]
            shape = tf.reshape(tf.stack(sizes), [-1])
        if isinstance(tensor, tf.SparseTensor):
            if shape is not None:
                tensor = tf.sparse.reshape(tensor, shape)
            return tf.sparse.to_dense(tensor, self._default_value)
        return tensor if shape is None else tf.reshape(tensor, shape)


class LookupTensor(Tensor):
    """A feature translated by a lookup table. Raises ValueError as `Tensor` does."""

    def __init__(self, tensor_key: str, table: Any, shape_keys: str | list[str] | None = None,
                 shape: Any = None, default_value: Any = "") -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """The item of `handler`, or that of `backup` where the former has no elements.

    Raises:
        ValueError: one of them is no ItemHandler.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for role, part in (("Primary", handler), ("Backup", backup)):
            if not isinstance(part, ItemHandler):
                raise ValueError(f"{role} handler is of type {type(part)} instead of ItemHandler")
        self._handler, self._backup = handler, backup
        super().__init__([*handler.keys, *backup.keys])

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        item = self._handler.tensors_to_item(keys_to_tensors)
        return tf.cond(tf.equal(tf.size(item), 0),
                       lambda: self._backup.tensors_to_item(keys_to_tensors), lambda: item)


class SparseTensor(ItemHandler):
    """A sparse tensor whose last index and whose values are two features.

    Args:
        shape_key: The feature that holds the dense shape; else `shape`, else that of the indices.
        densify: Give a dense tensor, with `default_value` in the gaps.
    """

    def __init__(self, indices_key: str | None = None, values_key: str | None = None,
                 shape_key: str | None = None, shape: Any = None, densify: bool = False,
                 default_value: Any = 0) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key, self._shape = shape_key, shape
        self._densify, self._default_value = densify, default_value
        super().__init__([self._indices_key, self._values_key, *([shape_key] if shape_key else [])])

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        shape = self._shape or indices.dense_shape
        if self._shape_key:
            shape = keys_to_tensors[self._shape_key]
            if isinstance(shape, tf.SparseTensor):
                shape = tf.sparse.to_dense(shape)
        last = tf.reshape(tf.cast(indices.values, tf.int64), [-1, 1])
        item = tf.SparseTensor(tf.concat([indices.indices[:, :-1], last], 1), values.values,
                               tf.cast(shape, tf.int64))
        return tf.sparse.to_dense(item, self._default_value) if self._densify else item


class Image(ItemHandler):
    """A decoded image [height, width, channels] of `dtype`.

    Args:
        image_key: The feature with the encoded image; default "image/encoded".
        format_key: The feature with its format; default "image/format". "raw" means the bytes of
            the values themselves, anything else is told from the bytes.
        shape: The shape to give the image; needed for raw ones.
        repeated: The feature holds many images, of one size: [n, height, width, channels].
        dct_method: How JPEG files are decoded.
    """

    def __init__(self, image_key: str | None = None, format_key: str | None = None,
                 shape: Any = None, channels: int = 3, dtype: Any = tf.uint8,
                 repeated: bool = False, dct_method: str = "") -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape, self._channels, self._dtype = shape, channels, tf.as_dtype(dtype)
        self._repeated, self._dct_method = repeated, dct_method

    def tensors_to_item(self, keys_to_tensors: Tensors) -> tf.Tensor:
        encoded, image_format = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return tf.map_fn(lambda one: self._decode(one, image_format), encoded,
                             fn_output_signature=self._dtype)
        return self._decode(encoded, image_format)

    def _decode(self, encoded: tf.Tensor, image_format: tf.Tensor) -> tf.Tensor:
        def by_content() -> tf.Tensor:
            # decode_image knows all formats, but only decode_jpeg has the choice of the method
            return tf.cond(
                tf.io.is_jpeg(encoded),
                lambda: tf.cast(tf.io.decode_jpeg(encoded, self._channels,
                                                  dct_method=self._dct_method), self._dtype),
                lambda: tf.cast(tf.io.decode_image(encoded, self._channels), self._dtype))

        is_raw = tf.reduce_any(tf.equal(image_format, ["raw", "RAW"]))
        image = tf.cond(is_raw, lambda: tf.io.decode_raw(encoded, self._dtype), by_content)
        if self._shape is not None:
            return tf.reshape(image, self._shape)
        if image.shape.rank is None:  # a trace does not know which branch is taken
            image.set_shape([None, None, self._channels])
        return image


class DataDecoder(abc.ABC):
    """Turns a serialized record into items."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Iterable[str] | None = None) -> Any:
        """The `items` (default: all) of a record."""

    @abc.abstractmethod
    def list_items(self) -> list[str]:
        """The names of the items there are."""


def _shaped(parsed: dict[str, Any], features: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tf.reshape(value, features[key].shape)
            if isinstance(features[key], tf.io.FixedLenFeature) else value
            for key, value in parsed.items()}


def _items(parsed: Tensors, handlers: Mapping[str, ItemHandler],
           items: Iterable[str] | None) -> list[Any]:
    return [handlers[item].tensors_to_item({key: parsed[key] for key in handlers[item].keys})
            for item in items or handlers]


class TFExampleDecoder(DataDecoder):
    """Decodes serialized `tf.train.Example`s.

    Args:
        keys_to_features: How each feature is to be parsed.
        items_to_handlers: The handler of each item, by the item's name.
    """

    def __init__(self, keys_to_features: Mapping[str, Any],
                 items_to_handlers: Mapping[str, ItemHandler]) -> None:
        self._keys_to_features, self._items_to_handlers = keys_to_features, items_to_handlers

    def list_items(self) -> list[str]:
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any,  # type: ignore[override]
               items: Iterable[str] | None = None) -> list[Any]:
        """A list of the `items` (default: all) of a serialized example (a string scalar)."""
        parsed = tf.io.parse_single_example(serialized_example, self._keys_to_features)
        return _items(_shaped(parsed, self._keys_to_features), self._items_to_handlers, items)


class TFSequenceExampleDecoder(DataDecoder):
    """Decodes serialized `tf.train.SequenceExample`s.

    Raises:
        ValueError: a feature is listed both as a context and as a sequence feature.
    """

    def __init__(self, keys_to_context_features: Mapping[str, Any],
                 keys_to_sequence_features: Mapping[str, Any],
                 items_to_handlers: Mapping[str, ItemHandler]) -> None:
        twice = sorted(set(keys_to_context_features) & set(keys_to_sequence_features))
        if twice:
            raise ValueError(f"both context and sequence features: {', '.join(twice)}")
        self._keys_to_context_features = keys_to_context_features
        self._keys_to_sequence_features = keys_to_sequence_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[str]:
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any,  # type: ignore[override]
               items: Iterable[str] | None = None) -> list[Any]:
        """A list of the `items` (default: all) of a serialized example (a string scalar)."""
        context, sequences = tf.io.parse_single_sequence_example(
            serialized_example, self._keys_to_context_features, self._keys_to_sequence_features)
        context = _shaped(context, self._keys_to_context_features)
        return _items({**sequences, **context}, self._items_to_handlers, items)
