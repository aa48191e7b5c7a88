"""tf.contrib.losses (slim.losses), the forerunner of tf.losses: other argument orders and names.

All reduce by the number of weights that are not 0 and collect under LOSSES.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from . import losses as core
from .losses import (
    add_loss,
    get_losses,
    get_regularization_losses,
    get_total_loss,
)


def _required(*values: Any) -> None:
    if any(value is None for value in values):
        raise ValueError("predictions (logits) and labels are required")


def _widened(weights: Any, losses_rank: int | None) -> tf.Tensor:
    """contrib let [batch] weights stand for all further dimensions."""
    weights = tf.convert_to_tensor(weights, tf.float32)
    rank = weights.shape.rank
    if rank and losses_rank and rank < losses_rank:
        weights = tf.reshape(weights, tf.concat([tf.shape(weights), [1] * (losses_rank - rank)], 0))
    return weights


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> tf.Tensor:
    """`losses` times `weights`, over the number of weights that are not 0."""
    losses = tf.convert_to_tensor(losses)
    return core.compute_weighted_loss(losses, _widened(weights, losses.shape.rank), scope)


def _rank(value: Any) -> int | None:
    return tf.convert_to_tensor(value).shape.rank


def absolute_difference(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> tf.Tensor:
    """|predictions - labels|."""
    _required(predictions, labels)
    weights = _widened(weights, _rank(predictions))
    return core.absolute_difference(labels, predictions, weights, scope)


def mean_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> tf.Tensor:
    """(predictions - labels) ** 2."""
    _required(predictions, labels)
    weights = _widened(weights, _rank(predictions))
    return core.mean_squared_error(labels, predictions, weights, scope)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> tf.Tensor:
    """The mean squared difference of differences between all pairs within an example."""
    _required(predictions, labels)
    weights = _widened(weights, _rank(predictions))
    return core.mean_pairwise_squared_error(labels, predictions, weights, scope)


def log_loss(
    predictions: Any,
    labels: Any = None,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
) -> tf.Tensor:
    """Cross entropy of probabilities."""
    _required(predictions, labels)
    weights = _widened(weights, _rank(predictions))
    return core.log_loss(labels, predictions, weights, epsilon, scope)


def hinge_loss(
    logits: Any, labels: Any = None, scope: str | None = None, weights: Any = None
) -> tf.Tensor:
    """The *unreduced* hinge losses, as contrib returned them (not collected)."""
    _required(logits, labels)
    labels = 2 * tf.cast(labels, tf.float32) - 1
    return tf.nn.relu(1 - labels * tf.cast(logits, tf.float32))


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> tf.Tensor:
    """1 - the product of unit vectors along `axis`."""
    _required(predictions, labels)
    weights = _widened(weights, _rank(predictions))
    return core.cosine_distance(labels, predictions, axis, weights, scope, dim=dim)


def sigmoid_cross_entropy(
    logits: Any,
    multi_class_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> tf.Tensor:
    """Cross entropy of independent classes."""
    weights = _widened(weights, _rank(logits))
    return core.sigmoid_cross_entropy(multi_class_labels, logits, weights, label_smoothing, scope)


def softmax_cross_entropy(
    logits: Any,
    onehot_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> tf.Tensor:
    """Cross entropy of exclusive classes."""
    return core.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None
) -> tf.Tensor:
    """Cross entropy of class numbers."""
    logits = tf.convert_to_tensor(logits)
    labels = tf.reshape(labels, [tf.shape(tf.convert_to_tensor(labels))[0]])
    weights = tf.convert_to_tensor(weights, tf.float32)
    return core.sparse_softmax_cross_entropy(
        labels, logits, tf.squeeze(weights) if weights.shape.rank else weights, scope
    )


__all__ = [
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]
