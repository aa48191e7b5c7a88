"""tf.metrics of the k best classes: precision_at_k, recall_at_k, average_precision_at_k…

Labels are ids [..., labels], dense or sparse; predictions are scores [..., classes], or with
`_top_k` the ids [..., k] themselves. Values are float64, as they were in TF 1.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .metrics import Result, _also_in_graphs, _counter, _result
from .scopes import variable_scope

_NONE = tf.int64.min  # marks places without a label


def _ids(values: Any) -> tf.Tensor:
    """Ids as a dense int64 tensor; places that a sparse one leaves empty hold `_NONE`."""
    if isinstance(values, tf.SparseTensor):
        return tf.sparse.to_dense(
            tf.cast(values, tf.int64), default_value=_NONE, validate_indices=False
        )
    return tf.cast(values, tf.int64)


def _expanded(labels: tf.Tensor, ids: tf.Tensor) -> tf.Tensor:
    """Labels with a last dimension of their own, if each example had one label."""
    return labels[..., None] if labels.shape.rank == ids.shape.rank - 1 else labels


def _first(ids: tf.Tensor) -> tf.Tensor:
    """Whether an id is there, and for the first time in its row."""
    same = ids[..., :, None] == ids[..., None, :]
    earlier = tf.linalg.band_part(tf.ones_like(same[..., :, :], tf.int32), -1, 0)
    earlier -= tf.linalg.band_part(earlier, 0, 0)
    seen = tf.reduce_any(same & tf.cast(earlier, tf.bool), -1)
    return ~seen & tf.not_equal(ids, _NONE)


def _within(ids: tf.Tensor, others: tf.Tensor) -> tf.Tensor:
    return tf.reduce_any(tf.equal(ids[..., :, None], others[..., None, :]), -1)


def _total(name: str, chosen: tf.Tensor, weights: Any) -> tf.Tensor:
    """The running weighted number of ids chosen."""
    counts = tf.cast(tf.math.count_nonzero(chosen, -1), tf.float64)
    if weights is not None:
        counts *= tf.cast(weights, tf.float64)
    total = _counter(name, (), tf.float64)
    total.assign_add(tf.reduce_sum(counts))
    return tf.identity(total)


def _label(kind: str, k: Any, class_id: int | None) -> str:
    return (f"{kind}_at_k" if k is None else f"{kind}_at_{k}") + (
        "" if class_id is None else f"_class{class_id}"
    )


def _share(
    kind: str,
    labels: Any,
    predictions_idx: Any,
    k: Any,
    class_id: int | None,
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Result:
    """True positives among the ids predicted (precision) or the labels (recall)."""
    with variable_scope(name, _label(kind, k, class_id)):
        chosen = _ids(predictions_idx)
        labels = _expanded(_ids(labels), chosen)
        picks, wanted = _first(chosen), _first(labels)
        if class_id is not None:
            picks, wanted = picks & tf.equal(chosen, class_id), wanted & tf.equal(labels, class_id)
        right = _total(_label("true_positive", k, class_id), picks & _within(chosen, labels), weights)
        if kind == "precision":
            missed, what = picks & ~_within(chosen, labels), "false_positive"
        else:
            missed, what = wanted & ~_within(labels, chosen), "false_negative"
        value = right / (right + _total(_label(what, k, class_id), missed, weights))
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The share of predicted ids that are labels, of one class if `class_id` is given."""
    return _share(
        "precision", labels, predictions_idx, k, class_id, weights, metrics_collections,
        updates_collections, name,
    )  # fmt: skip


@_also_in_graphs
def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """`precision_at_top_k` of the k best scores."""
    return _share(
        "precision", labels, tf.math.top_k(predictions, k)[1], k, class_id, weights,
        metrics_collections, updates_collections, name,
    )  # fmt: skip


@_also_in_graphs
def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The share of labels that are among the predicted ids, of one class if `class_id` is given."""
    return _share(
        "recall", labels, predictions_idx, k, class_id, weights, metrics_collections,
        updates_collections, name,
    )  # fmt: skip


@_also_in_graphs
def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """`recall_at_top_k` of the k best scores."""
    return _share(
        "recall", labels, tf.math.top_k(predictions, k)[1], k, class_id, weights,
        metrics_collections, updates_collections, name,
    )  # fmt: skip


@_also_in_graphs
def sparse_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """Old name of `precision_at_k`."""
    return precision_at_k(
        labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


@_also_in_graphs
def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The mean, over examples, of the precision at each of the k best scores that is a label.

    Labels that are no class are ignored. Raises ValueError for k < 1.
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}.")
    with variable_scope(name, _label("average_precision", k, None)):
        chosen = tf.cast(tf.math.top_k(predictions, k)[1], tf.int64)
        labels = _expanded(_ids(labels), chosen)
        classes = tf.cast(tf.shape(predictions)[-1], tf.int64)
        known = (labels >= 0) & (labels < classes)
        labels = tf.where(known, labels, _NONE)
        hits = tf.cast(_within(chosen, labels), tf.float64)
        ranks = tf.range(1, k + 1, dtype=tf.float64)
        relevant = tf.minimum(tf.math.count_nonzero(known, -1), k)
        average = tf.reduce_sum(tf.cumsum(hits, -1) / ranks * hits, -1)
        average /= tf.cast(relevant, tf.float64)
        shares = tf.ones_like(average)
        if weights is not None:
            shares *= tf.cast(weights, tf.float64)
        most, total = _counter("max_1", (), tf.float64), _counter("total", (), tf.float64)
        most.assign_add(tf.reduce_sum(shares))
        total.assign_add(tf.reduce_sum(average * shares))
        value = tf.math.divide_no_nan(tf.identity(total), tf.identity(most))
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def sparse_average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """Old name of `average_precision_at_k`."""
    return average_precision_at_k(
        labels, predictions, k, weights, metrics_collections, updates_collections, name
    )
