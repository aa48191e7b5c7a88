"""tf.contrib.metrics that tf.metrics never had: correlation, rates, F1, values kept in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from .metrics import Result, _compared, _counted, _counter, _result, _weights_for
from .metrics_at_k import recall_at_top_k
from .metrics_thresholds import _between, _counts
from .scopes import variable_scope
from .store import GraphKeys, current_store

_EDGE = 1e-7


def accuracy(
    predictions: Any, labels: Any, weights: Any = None, name: str | None = None
) -> tf.Tensor:
    """The (weighted) share of predictions that equal the labels, of this batch only.

    Raises ValueError if the two differ in dtype or shape.
    """
    predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
    if predictions.dtype != labels.dtype:
        raise ValueError(f"labels are {labels.dtype.name}, predictions {predictions.dtype.name}")
    if not predictions.shape.is_compatible_with(labels.shape):
        raise ValueError(f"Shapes {predictions.shape} and {labels.shape} are not compatible")
    correct = tf.cast(tf.equal(predictions, labels), tf.float32)
    if weights is None:
        return tf.reduce_mean(correct)
    shares = tf.cast(weights, tf.float32)
    return tf.math.divide_no_nan(
        tf.reduce_sum(correct * shares), tf.reduce_sum(shares * tf.ones_like(correct))
    )


def count(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """How many values there were, or the sum of their weights."""
    with variable_scope(name, "count"):
        total = _counter("count")
        total.assign_add(tf.reduce_sum(_weights_for(weights, tf.cast(values, tf.float32))))
        return _result(tf.identity(total), metrics_collections, updates_collections)


def _rate(labels: Any, predictions: Any, weights: Any, wrong: str, right: str) -> tf.Tensor:
    labels, predictions = (tf.cast(v, tf.bool) for v in _compared(labels, predictions))
    cases = {
        "false_positives": ~labels & predictions,
        "true_negatives": ~labels & ~predictions,
        "false_negatives": labels & ~predictions,
        "true_positives": labels & predictions,
    }
    with variable_scope(wrong):
        errors = _counted("count", cases[wrong], weights)
    with variable_scope(right):
        hits = _counted("count", cases[right], weights)
    return tf.math.divide_no_nan(errors, errors + hits)


def streaming_false_positive_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """False positives among actual negatives."""
    with variable_scope(name, "false_positive_rate"):
        value = _rate(labels, predictions, weights, "false_positives", "true_negatives")
        return _result(value, metrics_collections, updates_collections)


def streaming_false_negative_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """False negatives among actual positives."""
    with variable_scope(name, "false_negative_rate"):
        value = _rate(labels, predictions, weights, "false_negatives", "true_positives")
        return _result(value, metrics_collections, updates_collections)


def streaming_false_positive_rate_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """False positives among actual negatives, for each threshold."""
    with variable_scope(name, "false_positive_rate_at_thresholds"):
        tn, fp = _counts(labels, predictions, thresholds, weights, "tn fp")
        return _result(fp / (_EDGE + fp + tn), metrics_collections, updates_collections)


def streaming_false_negative_rate_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """False negatives among actual positives, for each threshold."""
    with variable_scope(name, "false_negative_rate_at_thresholds"):
        tp, fn = _counts(labels, predictions, thresholds, weights, "tp fn")
        return _result(fn / (_EDGE + fn + tp), metrics_collections, updates_collections)


def f1_score(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The best F1 score over thresholds of scores between 0 and 1."""
    with variable_scope(name, "f1"):
        tp, fn, fp = _counts(labels, predictions, _between(num_thresholds), weights, "tp fn fp")
        precision, recall = tp / (_EDGE + tp + fp), tp / (_EDGE + tp + fn)
        value = tf.reduce_max(2.0 * precision * recall / (precision + recall + _EDGE))
        return _result(value, metrics_collections, updates_collections)


def streaming_covariance(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The unbiased sample covariance of all pairs seen; nan for a single one."""
    with variable_scope(name, "covariance"):
        value = _covariance(predictions, labels, weights)
        return _result(value, metrics_collections, updates_collections)


def _covariance(predictions: Any, labels: Any, weights: Any) -> tf.Tensor:
    """Kept as count, means and co-moment, each batch merged by the formula of Chan et al."""
    labels, predictions = _compared(labels, predictions)
    labels, predictions = tf.cast(labels, tf.float32), tf.cast(predictions, tf.float32)
    shares = _weights_for(weights, predictions)
    count, mean_p = _counter("count"), _counter("mean_prediction")
    mean_y, moment = _counter("mean_label"), _counter("comoment")
    size = tf.reduce_sum(shares)
    batch_p = tf.math.divide_no_nan(tf.reduce_sum(predictions * shares), size)
    batch_y = tf.math.divide_no_nan(tf.reduce_sum(labels * shares), size)
    before, total = tf.identity(count), count + size
    step_p, step_y = batch_p - mean_p, batch_y - mean_y
    spread = tf.reduce_sum(shares * (predictions - batch_p) * (labels - batch_y))
    between = step_p * step_y * tf.math.divide_no_nan(before * size, total)
    moment.assign_add(spread + between)
    mean_p.assign_add(step_p * tf.math.divide_no_nan(size, total))
    mean_y.assign_add(step_y * tf.math.divide_no_nan(size, total))
    count.assign_add(size)
    return tf.where(count < 2.0, float("nan"), tf.identity(moment) / (count - 1.0))


def streaming_pearson_correlation(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The correlation of all pairs seen, between -1 and 1."""
    with variable_scope(name, "pearson_r"):
        with variable_scope("covariance"):
            both = _covariance(predictions, labels, weights)
        with variable_scope("variance_predictions"):
            first = _covariance(predictions, predictions, weights)
        with variable_scope("variance_labels"):
            second = _covariance(labels, labels, weights)
        value = both / (tf.sqrt(first) * tf.sqrt(second))
        return _result(value, metrics_collections, updates_collections)


def streaming_concat(
    values: Any,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """All values seen so far side by side along `axis`, the first `max_size` of them."""
    with variable_scope(name, "streaming_concat") as opened:
        values = tf.convert_to_tensor(values)
        shape = values.shape.as_list()
        shape[axis] = 0
        open_shape = list(shape)
        open_shape[axis] = None

        def make() -> tf.Variable:
            return tf.Variable(
                tf.zeros(shape, values.dtype), trainable=False, shape=open_shape,
                name=f"{opened.name}/array",
            )  # fmt: skip

        store = current_store()
        array = store.get_or_make(f"{opened.name}/array", make)
        home = store.registry.collections.setdefault(GraphKeys.LOCAL_VARIABLES, [])
        if not any(v is array for v in home):
            home.append(array)
        joined = tf.concat([array, values], axis)
        if max_size is not None:
            first = [slice(None)] * (axis % values.shape.rank) + [slice(max_size)]
            joined = joined[tuple(first)]
        array.assign(joined)
        return _result(tf.identity(joined), metrics_collections, updates_collections)


def cohen_kappa(
    labels: Any,
    predictions_idx: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """Agreement of two label sequences beyond chance. Raises ValueError for one class."""
    if num_classes < 2:
        raise ValueError("`num_classes` must be >= 2.")
    with variable_scope(name, "cohen_kappa"):
        labels, chosen = _compared(labels, predictions_idx)
        labels, chosen = (tf.cast(tf.reshape(v, [-1]), tf.int64) for v in (labels, chosen))
        shares = tf.cast(_weights_for(weights, tf.cast(labels, tf.float32)), tf.float64)
        agreed, rows, columns = (
            _counter(part, [num_classes], tf.float64) for part in ("po", "pe_row", "pe_col")
        )
        firsts = tf.one_hot(labels, num_classes, dtype=tf.float64) * shares[:, None]
        seconds = tf.one_hot(chosen, num_classes, dtype=tf.float64) * shares[:, None]
        same = tf.cast(tf.equal(labels, chosen), tf.float64)[:, None]
        agreed.assign_add(tf.reduce_sum(firsts * same, 0))
        rows.assign_add(tf.reduce_sum(firsts, 0))
        columns.assign_add(tf.reduce_sum(seconds, 0))
        total, hits = tf.reduce_sum(rows), tf.reduce_sum(agreed)
        chance = tf.reduce_sum(tf.math.divide_no_nan(rows * columns, total))
        value = tf.math.divide_no_nan(hits - chance, total - chance)
        return _result(value, metrics_collections, updates_collections)


def sparse_recall_at_top_k(
    labels: Any,
    top_k_predictions: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The share of labels that are among the predicted ids."""
    return recall_at_top_k(
        labels, top_k_predictions, None, class_id, weights, metrics_collections,
        updates_collections, name,
    )  # fmt: skip
