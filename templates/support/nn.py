"""tf.nn functions that TensorFlow 2 dropped."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """(normalized x, mean, variance), in one kernel; the variance is Bessel-corrected in training.

    `mean` and `variance` are used as they are unless `is_training`.
    Raises ValueError if they are given in training, or missing otherwise.
    """
    given = (mean is not None, variance is not None)
    if is_training and any(given) and exponential_avg_factor == 1.0:
        raise ValueError("Both 'mean' and 'variance' must be None if is_training is True.")
    if not is_training and not all(given):
        raise ValueError("Both 'mean' and 'variance' must be given if is_training is False.")
    empty = tf.constant([], tf.float32)
    outputs = tf.raw_ops.FusedBatchNormV3(
        x=x,
        scale=tf.cast(scale, tf.float32),
        offset=tf.cast(offset, tf.float32),
        mean=empty if mean is None else tf.cast(mean, tf.float32),
        variance=empty if variance is None else tf.cast(variance, tf.float32),
        epsilon=max(epsilon, 1.001e-5),
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
    )
    return outputs.y, outputs.batch_mean, outputs.batch_variance


def _shaped(result: tf.Tensor, output_shape: Any) -> tf.Tensor:
    """`result` with what is known of its shape: TensorFlow 2 takes the batch from the input alone."""
    known = tf.get_static_value(tf.convert_to_tensor(output_shape, tf.int32), partial=True)
    if known is not None:
        result.set_shape([None if size is None or size < 0 else int(size) for size in known])
    return result


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> tf.Tensor:
    """The transposed convolution, with the static shape that `output_shape` gives it."""
    return _shaped(tf.nn.conv2d_transpose(
        value if input is None else input, filter if filters is None else filters, output_shape,
        strides, padding, data_format, dilations, name,
    ), output_shape)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: str, name: str | None = None
) -> tf.Tensor:
    """The transpose of `atrous_conv2d`, with the static shape that `output_shape` gives it."""
    result = tf.nn.atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name)
    return _shaped(result, output_shape)


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[tf.SparseTensor], tf.Tensor]:
    """The best paths through logits [time, batch, classes] and their log probabilities.

    With `merge_repeated`, as TF 1 did unless told otherwise, a class that a path has twice in a
    row is given once; TF 2's function keeps both.
    """
    indices, values, shapes, log_probability = tf.raw_ops.CTCBeamSearchDecoder(
        inputs=inputs,
        sequence_length=sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    paths = [tf.SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)]
    return paths, log_probability


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> tf.Tensor:
    """Rows `ids` of one table that is cut into the tensors `params`.

    TF 1 dealt the rows out in turn (``mod``: row i is in tensor i % n) unless told otherwise; TF 2
    only knows blocks of rows (``div``).
    """
    shards = list(params) if isinstance(params, (list, tuple)) else [params]
    if partition_strategy == "div" or len(shards) == 1:
        return tf.nn.embedding_lookup(params, ids, max_norm=max_norm, name=name)
    ids = tf.convert_to_tensor(ids)
    flat = tf.reshape(ids, [-1])
    owner = tf.cast(flat % len(shards), tf.int32)
    rows = tf.dynamic_partition(flat // len(shards), owner, len(shards))
    places = tf.dynamic_partition(tf.range(tf.size(flat)), owner, len(shards))
    found = tf.dynamic_stitch(
        places, [tf.gather(shard, own) for shard, own in zip(shards, rows, strict=True)]
    )
    width = tf.shape(shards[0])[1:]
    found = tf.reshape(found, tf.concat([tf.shape(ids), width], 0), name=name)
    found.set_shape(ids.shape.concatenate(shards[0].shape[1:]))
    if max_norm is None:
        return found
    return tf.clip_by_norm(found, max_norm, axes=list(range(ids.shape.rank, found.shape.rank)))


def embedding_lookup_sparse(
    params: Any,
    sp_ids: tf.SparseTensor,
    sp_weights: tf.SparseTensor | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> tf.Tensor:
    """Rows of a table in the tensors `params`, combined for each row of `sp_ids` (default: mean)."""
    ids, places = tf.unique(sp_ids.values)
    table = embedding_lookup(params, ids, partition_strategy, max_norm=max_norm)
    own = tf.SparseTensor(sp_ids.indices, tf.cast(places, tf.int64), sp_ids.dense_shape)
    return tf.nn.embedding_lookup_sparse(table, own, sp_weights, combiner or "mean", name=name)
