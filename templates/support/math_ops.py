"""Operations whose TF 2 namesakes do something else for some arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf


def div(x: Any, y: Any, name: str | None = None) -> Any:
    """Python 2 division as TF 1's `tf.div` does it: integers are floored, floats are divided."""
    with tf.name_scope(name or "div") as scope:  # the operation itself is called so
        x = tf.convert_to_tensor(x)
        y = tf.convert_to_tensor(y, dtype=x.dtype)
        real = x.dtype.is_floating or x.dtype.is_complex
        return (tf.raw_ops.RealDiv if real else tf.raw_ops.FloorDiv)(x=x, y=y, name=scope)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Slices of `params` at `indices`, whose dimensions but the last are batch dimensions of both.

    Raises ValueError if the rank of `indices` is unknown.
    """
    indices = tf.convert_to_tensor(indices)
    if indices.shape.rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape")
    return tf.gather(params, indices, batch_dims=indices.shape.rank - 1, name=name)


def where(condition: Any, x: Any, y: Any, name: str | None = None) -> Any:
    """`x` where `condition` holds, `y` elsewhere, of one shape.

    A condition of rank 1 chooses whole rows, as in TF 1; TF 2's `tf.where` would broadcast it
    along the last axis.
    """
    condition = tf.convert_to_tensor(condition, dtype=tf.bool)
    x = tf.convert_to_tensor(x)
    rank = x.shape.rank
    if condition.shape.rank is None or rank is None:  # TF 1's own kernel looks when it runs
        return tf.raw_ops.Select(condition=condition, x=x, y=y, name=name)
    if condition.shape.rank == 1 and rank > 1:
        condition = tf.reshape(condition, [-1] + [1] * (rank - 1))
    return tf.where(condition, x, y, name=name)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """`t`, scaled down if its norm divided by its size is above `clip_norm`."""
    t = tf.convert_to_tensor(t)
    size = tf.cast(tf.size(t), t.dtype)
    inverse = tf.math.rsqrt(tf.reduce_sum(t * t, tf.range(tf.rank(t))))
    limit = tf.constant(1.0, t.dtype) / clip_norm
    return tf.identity(t * clip_norm * tf.minimum(inverse * size, limit), name=name)


def string_split(
    source: Any, sep: Any = None, skip_empty: bool = True, delimiter: Any = None,
    result_type: str = "SparseTensor", name: str | None = None,
) -> Any:
    """The pieces of each string [batch], as a SparseTensor, or a RaggedTensor (`result_type`).

    Each character of `sep` (or `delimiter`) separates; with an empty one every byte is a piece.
    """
    separators = sep if sep is not None else delimiter if delimiter is not None else " "
    parts = tf.raw_ops.StringSplit(
        input=source,
        delimiter=tf.convert_to_tensor(separators, tf.string),
        skip_empty=skip_empty,
        name=name,
    )
    pieces = tf.SparseTensor(parts.indices, parts.values, parts.shape)
    return tf.RaggedTensor.from_sparse(pieces) if result_type == "RaggedTensor" else pieces


def strings_split(
    input: Any, sep: Any = None, maxsplit: int = -1, result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """`tf.strings.split` with its pieces as a SparseTensor, or a RaggedTensor (`result_type`).

    A ragged result for one string is its pieces [n], as in TF 2.
    """
    pieces = tf.strings.split(input, sep=sep, maxsplit=maxsplit, name=name)
    return pieces if result_type == "RaggedTensor" else pieces.to_sparse()


def py_func(
    func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: str | None = None
) -> Any:
    """`tf.numpy_function` whose `func` gets scalars as NumPy scalars and bytes also eagerly.

    Returns one tensor if `Tout` is one dtype, else a list of them.
    """
    if not tf.executing_eagerly():
        return tf.numpy_function(func, inp, Tout, stateful=stateful, name=name)

    def with_scalars(*arrays: Any) -> Any:
        return func(*(array[()] if array.ndim == 0 else array for array in arrays))

    return tf.numpy_function(with_scalars, inp, Tout, stateful=stateful, name=name)


def nested_py_func(
    func: Callable[..., Any], args: Any = (), kwargs: Any = None, output_types: Any = None,
    output_shapes: Any = None, stateful: bool = True, name: str | None = None,
) -> Any:
    """`py_func` over nests of tensors: `func(*args, **kwargs)` with arrays in their places.

    Returns a nest like `output_types`, with the static shapes `output_shapes` where given.
    """
    given = (list(args), dict(kwargs or {}))
    if callable(output_types):
        output_types = output_types(*args, **given[1])
    if callable(output_shapes):
        output_shapes = output_shapes(*args, **given[1])

    def flat_func(*arrays: Any) -> Any:
        own_args, own_kwargs = tf.nest.pack_sequence_as(given, arrays)
        return tf.nest.flatten(func(*own_args, **own_kwargs))

    types = tf.nest.flatten(output_types)
    flat = py_func(flat_func, tf.nest.flatten(given), types, stateful, name)
    flat = flat if isinstance(flat, (list, tuple)) else [flat]
    result = tf.nest.pack_sequence_as(output_types, flat)
    if output_shapes is None:
        return result
    # a shape is a list itself, so only the types say where the nest ends
    shapes = output_shapes if tf.nest.is_nested(output_types) else [output_shapes]
    shapes = shapes.values() if isinstance(shapes, dict) else shapes
    for value, shape in zip(tf.nest.flatten(result), shapes, strict=True):
        value.set_shape(shape)
    return result
