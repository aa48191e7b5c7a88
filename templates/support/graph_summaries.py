"""TF 1's summaries as tensors of the graph that is being built, for its session and its FileWriter.

Each gives a serialized `Summary` message, and is added to collections so that `merge_all` finds it.
Elsewhere summaries are written where they are reached, and there is nothing to merge.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import summary_pb2

from .names import clean_tag, current_graph
from .scopes import GraphKeys, add_to_collection, get_collection
from .store import builds_graph, current_run

Tensor = Any  # tf.Tensor



def collected(
    name: str, family: str | None, collections: Sequence[str] | None,
    make: Callable[[str, str], Tensor],
) -> Tensor:
    """What `make` gives for the summary's tag and its operation's name: those of the scope, the tag
    below its family."""
    base = clean_tag(name)
    if family is not None:
        family = clean_tag(family)
        base = f"{family}/{base}"
    with tf.name_scope(base) as scope:
        tag = scope.rstrip("/")
    with tf.name_scope(scope):
        summary = make(tag if family is None else f"{family}/{tag}", scope)
    if getattr(current_graph(), "name", "").startswith("Dataset_"):
        return summary  # a function of a data set has collections of its own, as in TF 1
    for collection in [GraphKeys.SUMMARIES] if collections is None else collections:
        add_to_collection(collection, summary)
    return summary


def text_of(tag: str, tensor: Any, name: str) -> Tensor:
    """A summary of strings."""
    metadata = summary_pb2.SummaryMetadata(
        plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name="text"))
    return tf.raw_ops.TensorSummaryV2(
        tag=tag, tensor=tensor, serialized_summary_metadata=metadata.SerializeToString(), name=name)


def merge(
    inputs: Sequence[Any], collections: Sequence[str] | None = None, name: str | None = None
) -> Tensor | None:
    """One summary with the values of all `inputs`, in a graph or an estimator's step; else None."""
    if not builds_graph():
        return None if current_run().messages is None else tf.raw_ops.MergeSummary(inputs=inputs, name=name)
    with tf.name_scope(name or "Merge"):
        merged = tf.raw_ops.MergeSummary(inputs=list(inputs), name=name)
    for collection in collections or ():
        add_to_collection(collection, merged)
    return merged


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """`merge` of a collection; None where that is empty. In an estimator's step, what its hooks write."""
    if not builds_graph():
        found = [message for message in current_run().messages or () if message.graph is current_graph()]
        return tf.raw_ops.MergeSummary(inputs=found, name=name) if found else None
    found = get_collection(key, scope)
    return merge(found, name=name) if found else None
