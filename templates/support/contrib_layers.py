"""tf.contrib.layers beyond slim: dense layers with an activation, small helpers, summaries."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import summary
from .initializers import xavier_initializer
from .names import label_of
from .scopes import get_collection, get_variable, variable_scope
from .slim_conv import fully_connected
from .slim_layers import legacy_fully_connected
from .store import GraphKeys, builds_graph

elu = functools.partial(fully_connected, activation_fn=tf.nn.elu)
relu = functools.partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=tf.nn.relu6)
linear = functools.partial(fully_connected, activation_fn=None)
legacy_relu = functools.partial(legacy_fully_connected, activation_fn=tf.nn.relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)


def scale_gradient(inputs: Any, gradient_multiplier: Any) -> tf.Tensor:
    """The inputs; their gradient is multiplied."""

    @tf.custom_gradient
    def same(x: tf.Tensor) -> Any:
        return tf.identity(x), lambda upstream: upstream * gradient_multiplier

    return same(tf.convert_to_tensor(inputs))


def dense_to_sparse(
    tensor: Any, eos_token: Any = 0, outputs_collections: Any = None, scope: str | None = None
) -> tf.SparseTensor:
    """The entries other than `eos_token`."""
    tensor = tf.convert_to_tensor(tensor)
    where = tf.where(tf.not_equal(tensor, tf.constant(eos_token, tensor.dtype)))
    shape = tf.shape(tensor, out_type=tf.int64)
    return tf.SparseTensor(where, tf.gather_nd(tensor, where), shape)


def images_to_sequence(
    inputs: Any,
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> tf.Tensor:
    """[width, batch * height, channels] of images: each row is a sequence."""
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    if data_format == "NCHW":
        inputs = tf.transpose(inputs, [0, 2, 3, 1])
    inputs = tf.convert_to_tensor(inputs)
    _, _, width, depth = inputs.shape
    batch, height = tf.shape(inputs)[0], tf.shape(inputs)[1]
    return tf.reshape(tf.transpose(inputs, [2, 0, 1, 3]), [width, batch * height, depth])


def sequence_to_images(
    inputs: Any,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> tf.Tensor:
    """Images again of what `images_to_sequence` gave."""
    inputs = tf.convert_to_tensor(inputs)
    width, rows, depth = inputs.shape
    batch = -1 if rows is None else rows // height
    images = tf.reshape(inputs, [width, batch, height, depth])
    order = [1, 3, 2, 0] if output_data_format == "channels_first" else [1, 2, 0, 3]
    return tf.transpose(images, order)


def embedding_lookup_unique(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None
) -> tf.Tensor:
    """`tf.nn.embedding_lookup` that looks each distinct id up once."""
    ids = tf.convert_to_tensor(ids)
    distinct, places = tf.unique(tf.reshape(ids, [-1]))
    if isinstance(params, (list, tuple)):
        if len(params) > 1:
            raise ValueError("sharded embeddings: concatenate them into one variable first")
        params = params[0]
    rows = tf.gather(tf.nn.embedding_lookup(params, distinct), places)
    shape = tf.concat([tf.shape(ids), tf.shape(params)[1:]], 0)
    outputs = tf.reshape(rows, shape)
    outputs.set_shape(ids.shape.concatenate(params.shape[1:]))
    return outputs


def bow_encoder(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> tf.Tensor:
    """The mean embedding of the ids [batch, length]; 0 is no id with `sparse_lookup`."""
    with variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        table = get_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer or xavier_initializer(),
            regularizer=regularizer,
            trainable=trainable,
        )
        if sparse_lookup:
            if not isinstance(ids, tf.SparseTensor):
                ids = dense_to_sparse(ids)
            return tf.nn.safe_embedding_lookup_sparse(table, ids, combiner="mean", default_id=0)
        if isinstance(ids, tf.SparseTensor):
            raise TypeError(f"ids are expected to be a dense tensor, not {ids}")
        return tf.reduce_mean(tf.nn.embedding_lookup(table, ids), 1)


def summarize_tensor(tensor: Any, tag: str | None = None) -> Any:
    """Writes a number, or the distribution of more; nothing of texts and truths."""
    tensor = tf.convert_to_tensor(tensor) if not isinstance(tensor, tf.Variable) else tensor
    if tensor.dtype in (tf.string, tf.bool):
        return None
    write = summary.scalar if tensor.shape.rank == 0 else summary.histogram
    return write(tag or f"{label_of(tensor)}_summary", tensor)


def summarize_activation(op: Any) -> Any:
    """Writes the distribution of an activation; in a graph, also what share of it was cut off."""
    label = label_of(op)
    if builds_graph():
        before, kind = op.op.inputs, op.op.type
        if kind in ("Relu", "Softplus", "Relu6"):
            below = tf.cast(before[0] < tf.zeros([], before[0].dtype), tf.float32)
            summary.scalar(f"{label}/zeros", tf.reduce_mean(below))
        if kind == "Relu6":
            above = tf.cast(before[0] > tf.cast(6.0, before[0].dtype), tf.float32)
            summary.scalar(f"{label}/sixes", tf.reduce_mean(above))
    return summary.histogram(f"{label}/activation", op)


def summarize_tensors(tensors: Any, summarizer: Callable[..., Any] = summarize_tensor) -> list[Any]:
    """Summarizes each."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str,
    name_filter: str | None = None,
    summarizer: Callable[..., Any] = summarize_tensor,
) -> list[Any]:
    """Summarizes the members of a collection whose names match."""
    chosen = []
    for tensor in get_collection(collection):
        if name_filter is None or re.match(name_filter, label_of(tensor)):
            chosen.append(summarizer(tensor))
    return chosen


def summarize_activations(
    name_filter: str | None = None, summarizer: Callable[..., Any] = summarize_activation
) -> list[Any]:
    """Summarizes the collected activations whose names match."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)
