"""tf.metrics whose counts are kept for many thresholds of a score: auc, precision_at_thresholds…

As everywhere in tf.metrics here, the value and the update of a call both include its batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from .metrics import Result, _also_in_graphs, _compared, _counter, _result, _weights_for
from .scopes import variable_scope

_EDGE = 1e-7  # thresholds just outside of [0, 1] count everything and nothing


def _counts(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any, kinds: str
) -> list[tf.Tensor]:
    """Running counts [thresholds] of the kinds asked for: of "tp fn tn fp" those in `kinds`."""
    labels, predictions = _compared(labels, predictions)
    inside = "predictions must be in [0, 1]"
    zero, one = tf.cast(0, predictions.dtype), tf.cast(1, predictions.dtype)
    checks = [
        tf.debugging.assert_greater_equal(predictions, zero, message=inside),
        tf.debugging.assert_less_equal(predictions, one, message=inside),
    ]
    with tf.control_dependencies([check for check in checks if check is not None]):
        scores = tf.reshape(tf.cast(predictions, tf.float32), [1, -1])
    actual = tf.reshape(tf.cast(labels, tf.bool), [1, -1])
    positive = scores > tf.constant(list(thresholds), tf.float32)[:, None]
    shares = tf.reshape(_weights_for(weights, predictions), [1, -1])
    found = []
    for kind in kinds.split():
        right = actual if kind in ("tp", "fn") else ~actual
        guess = positive if kind in ("tp", "fp") else ~positive
        full = ("true_" if kind[0] == "t" else "false_") + (
            "positives" if kind[1] == "p" else "negatives"
        )
        total = _counter(full, [len(thresholds)])
        total.assign_add(tf.reduce_sum(tf.cast(right & guess, tf.float32) * shares, 1))
        found.append(tf.identity(total))
    return found


def _between(count: int) -> list[float]:
    """`count` thresholds from just below 0 to just above 1."""
    return [-_EDGE, *((i + 1) / (count - 1) for i in range(count - 2)), 1.0 + _EDGE]


@_also_in_graphs
def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Result:
    """The area under the ROC or the precision-recall (PR) curve of scores between 0 and 1.

    `summation_method`: trapezoidal, minoring, majoring, or careful_interpolation, which for PR
    interpolates true and false positives instead of precision.
    Raises ValueError for another curve or method.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    at = _between(num_thresholds)
    if thresholds is not None:
        at = [-_EDGE, *sorted(thresholds), 1.0 + _EDGE]
    with variable_scope(name, "auc"):
        tp, fn, tn, fp = _counts(labels, predictions, at, weights, "tp fn tn fp")
        if curve == "PR" and summation_method == "careful_interpolation":
            value = _interpolated(tp, fp, fn)
        else:
            value = _area(tp, fn, tn, fp, curve, summation_method)
        return _result(value, metrics_collections, updates_collections)


def _area(
    tp: tf.Tensor, fn: tf.Tensor, tn: tf.Tensor, fp: tf.Tensor, curve: str, method: str
) -> tf.Tensor:
    small = 1e-6
    recall = (tp + small) / (tp + fn + small)
    x, y = recall, (tp + small) / (tp + fp + small)
    if curve == "ROC":
        x, y = fp / (fp + tn + small), recall
    if method in ("trapezoidal", "careful_interpolation"):
        height = (y[:-1] + y[1:]) / 2.0
    elif method in ("minoring", "majoring"):
        height = (tf.minimum if method == "minoring" else tf.maximum)(y[:-1], y[1:])
    else:
        raise ValueError(f"Invalid summation_method: {method}")
    return tf.reduce_sum((x[:-1] - x[1:]) * height)


def _interpolated(tp: tf.Tensor, fp: tf.Tensor, fn: tf.Tensor) -> tf.Tensor:
    """The PR area with true positives linear in all positives (Davis and Goadrich, 2006)."""
    gained, positives = tp[:-1] - tp[1:], tp + fp
    slope = tf.math.divide_no_nan(gained, tf.maximum(positives[:-1] - positives[1:], 0))
    start = tp[1:] - slope * positives[1:]
    known = (positives[:-1] > 0) & (positives[1:] > 0)
    ratio = tf.math.divide_no_nan(positives[:-1], tf.maximum(positives[1:], 0))
    ratio = tf.where(known, ratio, tf.ones_like(ratio))
    steps = slope * (gained + start * tf.math.log(ratio))
    return tf.reduce_sum(tf.math.divide_no_nan(steps, tf.maximum(tp[1:] + fn[1:], 0)))


@_also_in_graphs
def true_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The weighted number of true positives for each threshold."""
    with variable_scope(name, "true_positives"):
        (value,) = _counts(labels, predictions, thresholds, weights, "tp")
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def true_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The weighted number of true negatives for each threshold."""
    with variable_scope(name, "true_negatives"):
        (value,) = _counts(labels, predictions, thresholds, weights, "tn")
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def false_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The weighted number of false positives for each threshold."""
    with variable_scope(name, "false_positives"):
        (value,) = _counts(labels, predictions, thresholds, weights, "fp")
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def false_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The weighted number of false negatives for each threshold."""
    with variable_scope(name, "false_negatives"):
        (value,) = _counts(labels, predictions, thresholds, weights, "fn")
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """True positives among predicted positives, for each threshold."""
    with variable_scope(name, "precision_at_thresholds"):
        hits, others = _counts(labels, predictions, thresholds, weights, "tp fp")
        value = hits / (_EDGE + hits + others)
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """True positives among actual positives, for each threshold."""
    with variable_scope(name, "recall_at_thresholds"):
        hits, others = _counts(labels, predictions, thresholds, weights, "tp fn")
        value = hits / (_EDGE + hits + others)
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """Recall at the first threshold whose specificity comes closest to `specificity`."""
    if not 0 <= specificity <= 1:
        raise ValueError("`specificity` must be in the range [0, 1].")
    with variable_scope(name, "sensitivity_at_specificity"):
        at = _between(num_thresholds)
        tp, fn, tn, fp = _counts(labels, predictions, at, weights, "tp fn tn fp")
        index = tf.argmin(tf.abs(tn / (tn + fp + _EDGE) - specificity), 0)
        value = tp[index] / (tp[index] + fn[index] + _EDGE)
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """Specificity at the last threshold whose recall comes closest to `sensitivity`."""
    if not 0 <= sensitivity <= 1:
        raise ValueError("`sensitivity` must be in the range [0, 1].")
    with variable_scope(name, "specificity_at_sensitivity"):
        at = [*_between(num_thresholds)[:-1], 1.0 - _EDGE]  # as TF 1 had it
        tp, fn, tn, fp = _counts(labels, predictions, at, weights, "tp fn tn fp")
        distance = tf.abs(tp / (tp + fn + _EDGE) - sensitivity)
        closest = tf.cast(tf.equal(distance, tf.reduce_min(distance)), tf.int64)
        index = tf.argmax(tf.cumsum(closest), 0)
        value = tn[index] / (tn[index] + fp[index] + _EDGE)
        return _result(value, metrics_collections, updates_collections)
