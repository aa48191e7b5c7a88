"""tf.metrics: running metrics as `(value, update_op)`, kept in local variables.

TF1 returned two tensors: the value so far, and an op that adds the batch. Here, in eager mode as in
a `tf.function`, the batch is added by the call and both are the value that includes it (of some metrics,
the second is what the value is made of, as in TF1); in a loop
open a run (`store.run()`) for each step so that the counters are found again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .initializers import zeros_initializer
from .scopes import add_to_collections, get_variable, variable_scope
from .store import GraphKeys, VariableStore, builds_graph, current_store

Result = tuple[tf.Tensor, tf.Tensor]


def _counter(name: str, shape: Any = (), dtype: Any = tf.float32) -> tf.Variable:
    """A running total: a local variable that is neither trained nor saved."""
    return get_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=zeros_initializer(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
    )


def reset_metrics(store: VariableStore | None = None) -> None:
    """Sets all metrics to 0: what running `tf.local_variables_initializer()` did."""
    collections = (store or current_store()).registry.collections
    for variable in collections.get(GraphKeys.METRIC_VARIABLES, ()):
        variable.assign(tf.zeros_like(variable))


def _also_in_graphs(metric: Callable[..., Result]) -> Callable[..., Result]:
    """`metric`, which in a graph that is being built is TensorFlow's own: there, fetching the
    value must not add the batch."""
    own = getattr(tf.compat.v1.metrics, metric.__name__)

    @functools.wraps(metric)
    def either(*args: Any, **kwargs: Any) -> Result:
        result: Result = (own if builds_graph() else metric)(*args, **kwargs)
        return result
    return either


def _result(value: tf.Tensor, metrics_collections: Any, updates_collections: Any,
            update: tf.Tensor | None = None) -> Result:
    """The value, and what TF 1's update gave where that was something else."""
    if builds_graph():
        raise NotImplementedError(
            "this metric has no form for TF 1 graphs: compute it from the fetched values, with "
            "tf.keras.metrics or eagerly"
        )
    update = value if update is None else update
    add_to_collections(metrics_collections, value)
    add_to_collections(updates_collections, update)
    return value, update


def _weights_for(weights: Any, values: tf.Tensor) -> tf.Tensor:
    """`weights` in the shape of `values`; lower ranks get further dimensions of size 1."""
    if weights is None:
        return tf.ones_like(values, tf.float32)
    weights = tf.cast(weights, tf.float32)
    rank, wanted = weights.shape.rank, values.shape.rank
    if rank == (wanted or 0) + 1 and weights.shape[-1] == 1:
        weights = tf.squeeze(weights, [-1])
    elif rank and wanted and rank + 1 == wanted:
        weights = tf.expand_dims(weights, -1)
    return weights * tf.ones_like(values, tf.float32)


def _average(values: Any, weights: Any) -> tf.Tensor:
    """The weighted mean of all values seen; 0 before the first."""
    values = tf.cast(values, tf.float32)
    total, count = _counter("total"), _counter("count")
    shares = _weights_for(weights, values)
    total.assign_add(tf.reduce_sum(values * shares))
    count.assign_add(tf.reduce_sum(shares))
    return tf.math.divide_no_nan(tf.identity(total), tf.identity(count))


@_also_in_graphs
def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The weighted mean of all values."""
    with variable_scope(name, "mean"):
        return _result(_average(values, weights), metrics_collections, updates_collections)


@_also_in_graphs
def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The weighted mean of each element over all batches."""
    with variable_scope(name, "mean"):
        values = tf.cast(values, tf.float32)
        total = _counter("total_tensor", values.shape)
        count = _counter("count_tensor", values.shape)
        shares = _weights_for(weights, values)
        total.assign_add(values * shares)
        count.assign_add(shares)
        value = tf.math.divide_no_nan(tf.identity(total), tf.identity(count))
        return _result(value, metrics_collections, updates_collections)


def _compared(labels: Any, predictions: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """Both with the same rank: a last dimension of size 1 too many is dropped."""
    labels, predictions = tf.convert_to_tensor(labels), tf.convert_to_tensor(predictions)
    difference = predictions.shape.rank - labels.shape.rank
    if difference == 1 and predictions.shape[-1] == 1:
        predictions = tf.squeeze(predictions, [-1])
    elif difference == -1 and labels.shape[-1] == 1:
        labels = tf.squeeze(labels, [-1])
    return labels, predictions


@_also_in_graphs
def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The share of predictions that equal the labels."""
    with variable_scope(name, "accuracy"):
        labels, predictions = _compared(labels, predictions)
        correct = tf.equal(tf.cast(labels, predictions.dtype), predictions)
        return _result(_average(correct, weights), metrics_collections, updates_collections)


@_also_in_graphs
def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The mean of |predictions - labels|."""
    with variable_scope(name, "mean_absolute_error"):
        labels, predictions = _compared(labels, predictions)
        errors = tf.abs(predictions - labels)
        return _result(_average(errors, weights), metrics_collections, updates_collections)


@_also_in_graphs
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The mean of (predictions - labels) ** 2."""
    with variable_scope(name, "mean_squared_error"):
        labels, predictions = _compared(labels, predictions)
        errors = tf.math.squared_difference(labels, predictions)
        return _result(_average(errors, weights), metrics_collections, updates_collections)


@_also_in_graphs
def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The root of the mean of (predictions - labels) ** 2."""
    with variable_scope(name, "root_mean_squared_error"):
        labels, predictions = _compared(labels, predictions)
        errors = tf.math.squared_difference(labels, predictions)
        value = tf.sqrt(_average(errors, weights))
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """1 - the mean cosine between unit vectors along dimension `dim`."""
    with variable_scope(name, "mean_cosine_distance"):
        labels, predictions = _compared(labels, predictions)
        cosines = tf.reduce_sum(labels * predictions, [dim], keepdims=True)
        value = 1.0 - _average(cosines, weights)
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The mean of |labels - predictions| / normalizer; 0 where the normalizer is."""
    with variable_scope(name, "mean_relative_error"):
        labels, predictions = _compared(labels, predictions)
        errors = tf.math.divide_no_nan(tf.abs(labels - predictions), normalizer)
        return _result(_average(errors, weights), metrics_collections, updates_collections)


@_also_in_graphs
def percentage_below(
    values: Any,
    threshold: float,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The share of values below a threshold (between 0 and 1)."""
    with variable_scope(name, "percentage_below_threshold"):
        below = tf.less(tf.convert_to_tensor(values), threshold)
        return _result(_average(below, weights), metrics_collections, updates_collections)


def _counted(name: str, condition: tf.Tensor, weights: Any) -> tf.Tensor:
    """The total weight of the cases in which `condition` held."""
    count = _counter(name)
    count.assign_add(
        tf.reduce_sum(tf.cast(condition, tf.float32) * _weights_for(weights, condition))
    )
    return tf.identity(count)


def _confusion_count(
    default_name: str, condition: Callable[[Any, Any], tf.Tensor]
) -> Callable[..., Result]:
    """A metric that counts the pairs (label, prediction), as bools, that fit `condition`."""

    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Result:
        with variable_scope(name, default_name):
            labels, predictions = _compared(labels, predictions)
            fits = condition(tf.cast(labels, tf.bool), tf.cast(predictions, tf.bool))
            value = _counted("count", fits, weights)
            return _result(value, metrics_collections, updates_collections)

    metric.__name__ = default_name
    metric.__doc__ = f"The weighted number of {default_name.replace('_', ' ')}."
    return _also_in_graphs(metric)


def _both(first: tf.Tensor, second: tf.Tensor) -> tf.Tensor:
    return tf.logical_and(first, second)


true_positives = _confusion_count("true_positives", _both)
false_positives = _confusion_count("false_positives", lambda y, p: _both(~y, p))
false_negatives = _confusion_count("false_negatives", lambda y, p: _both(y, ~p))
true_negatives = _confusion_count("true_negatives", lambda y, p: _both(~y, ~p))


def _share_of_positives(
    labels: Any, predictions: Any, weights: Any, other: str, missed: Callable[..., tf.Tensor]
) -> tf.Tensor:
    labels, predictions = (tf.cast(v, tf.bool) for v in _compared(labels, predictions))
    with variable_scope("true_positives"):
        hits = _counted("count", _both(labels, predictions), weights)
    with variable_scope(other):
        misses = _counted("count", missed(labels, predictions), weights)
    return tf.math.divide_no_nan(hits, hits + misses)


@_also_in_graphs
def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """True positives among predicted positives; 0 if nothing was predicted positive."""
    with variable_scope(name, "precision"):
        value = _share_of_positives(
            labels, predictions, weights, "false_positives", lambda y, p: _both(~y, p)
        )
        return _result(value, metrics_collections, updates_collections)


@_also_in_graphs
def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """True positives among actual positives; 0 if there were none."""
    with variable_scope(name, "recall"):
        value = _share_of_positives(
            labels, predictions, weights, "false_negatives", lambda y, p: _both(y, ~p)
        )
        return _result(value, metrics_collections, updates_collections)


def _confusion_matrix(labels: Any, predictions: Any, num_classes: int, weights: Any) -> tf.Tensor:
    """[label, prediction] totals (float64, as TF1 kept them)."""
    matrix = _counter("total_confusion_matrix", [num_classes, num_classes], tf.float64)
    if weights is not None:
        weights = tf.reshape(tf.cast(weights, tf.float64), [-1])
    labels, predictions = (tf.reshape(tf.cast(v, tf.int64), [-1]) for v in (labels, predictions))
    batch = tf.math.confusion_matrix(labels, predictions, num_classes, weights, tf.float64)
    matrix.assign_add(batch)
    return tf.identity(matrix)


@_also_in_graphs
def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """Intersection over union, averaged over the classes that occurred."""
    with variable_scope(name, "mean_iou"):
        counted = _confusion_matrix(labels, predictions, num_classes, weights)
        matrix = tf.cast(counted, tf.float32)
        hits = tf.linalg.diag_part(matrix)
        union = tf.reduce_sum(matrix, 0) + tf.reduce_sum(matrix, 1) - hits
        present = tf.reduce_sum(tf.cast(union > 0, tf.float32))
        ious = tf.math.divide_no_nan(hits, union)
        value = tf.math.divide_no_nan(tf.reduce_sum(ious), present)
        return _result(value, metrics_collections, updates_collections, counted)


@_also_in_graphs
def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Result:
    """The accuracy of each class, averaged over all classes."""
    with variable_scope(name, "mean_accuracy"):
        total, count = _counter("total", [num_classes]), _counter("count", [num_classes])
        labels = tf.reshape(tf.cast(labels, tf.int64), [-1])
        correct = tf.equal(labels, tf.reshape(tf.cast(predictions, tf.int64), [-1]))
        shares = tf.ones_like(labels, tf.float32)
        if weights is not None:
            shares = tf.reshape(tf.cast(weights, tf.float32), [-1])
        members = tf.one_hot(labels, num_classes) * shares[:, None]
        total.assign_add(tf.reduce_sum(members, 0))
        count.assign_add(tf.reduce_sum(members * tf.cast(correct, tf.float32)[:, None], 0))
        per_class = tf.math.divide_no_nan(tf.identity(count), tf.identity(total))
        return _result(tf.reduce_mean(per_class), metrics_collections, updates_collections, per_class)
