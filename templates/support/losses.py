"""tf.losses: weighted losses with TF1's reductions, kept in the collection LOSSES."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .scopes import GraphKeys, add_to_collection, get_collection, name_scope


class Reduction:
    """How a tensor of weighted losses becomes one number (or stays as it is)."""

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


def _float(value: Any) -> tf.Tensor:
    return tf.cast(value, tf.float32)


def _safe_divide(numerator: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    """0 where nothing is counted."""
    return tf.math.divide_no_nan(numerator, count, name="value")


@tf.autograph.experimental.do_not_convert
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> tf.Tensor:
    """`losses` * `weights`, reduced; collected under `loss_collection` (None: not).

    `weights` is a scalar or of the losses' rank, each dimension 1 or that of `losses`. The default
    divides by the number of weights that are not 0. Raises ValueError if weights do not fit.
    """
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss", [losses, weights]):
        losses = tf.convert_to_tensor(losses)
        dtype = losses.dtype
        losses, weights = _float(losses), _float(weights)
        _check_weights(losses, weights)
        weighted = tf.multiply(losses, weights)
        if reduction == Reduction.NONE:
            loss = weighted
        else:
            loss = tf.reduce_sum(weighted)
            if reduction == Reduction.MEAN:
                loss = _safe_divide(loss, tf.reduce_sum(tf.ones_like(losses) * weights))
            elif reduction == Reduction.SUM_OVER_NONZERO_WEIGHTS:
                present = _float(tf.not_equal(tf.ones_like(losses) * weights, 0))
                loss = _safe_divide(loss, tf.reduce_sum(present))
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                loss = _safe_divide(loss, _float(tf.size(losses)))
        loss = tf.cast(loss, dtype)
        add_loss(loss, loss_collection)
        return loss


def _check_weights(losses: tf.Tensor, weights: tf.Tensor) -> None:
    """TF1 broadcast weights only from a scalar or along dimensions of size 1."""
    rank = weights.shape.rank
    if not rank or losses.shape.rank is None:
        return
    fits = rank == losses.shape.rank and all(
        w in (1, None) or n is None or w == n
        for w, n in zip(weights.shape, losses.shape, strict=True)
    )
    if not fits:
        raise ValueError(
            f"weights can not be broadcast to values: weights.shape={weights.shape}, "
            f"values.shape={losses.shape}; make them a scalar or of the same rank"
        )


def _pair(labels: Any, predictions: Any, names: str = "labels and predictions") -> Any:
    if labels is None or predictions is None:
        raise ValueError(f"{names} must not be None.")
    labels, predictions = _float(labels), _float(predictions)
    if not labels.shape.is_compatible_with(predictions.shape):
        raise ValueError(f"Shapes {labels.shape} and {predictions.shape} are incompatible")
    return labels, predictions


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> tf.Tensor:
    """|predictions - labels|."""
    with name_scope(scope, "absolute_difference") as path:
        labels, predictions = _pair(labels, predictions)
        losses = tf.abs(predictions - labels)
        return compute_weighted_loss(losses, weights, path, loss_collection, reduction)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> tf.Tensor:
    """(predictions - labels) ** 2."""
    with name_scope(scope, "mean_squared_error") as path:
        labels, predictions = _pair(labels, predictions)
        losses = tf.math.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, path, loss_collection, reduction)


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> tf.Tensor:
    """Half the squared error up to an error of `delta`, linear beyond."""
    with name_scope(scope, "huber_loss") as path:
        labels, predictions = _pair(labels, predictions)
        error = tf.abs(predictions - labels)
        quadratic = tf.minimum(error, delta)
        losses = 0.5 * quadratic * quadratic + delta * (error - quadratic)
        return compute_weighted_loss(losses, weights, path, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> tf.Tensor:
    """Cross entropy of probabilities."""
    with name_scope(scope, "log_loss") as path:
        labels, predictions = _pair(labels, predictions)
        losses = -labels * tf.math.log(predictions + epsilon)
        losses -= (1 - labels) * tf.math.log(1 - predictions + epsilon)
        return compute_weighted_loss(losses, weights, path, loss_collection, reduction)


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> tf.Tensor:
    """max(0, 1 - (2 * labels - 1) * logits) of labels 0 and 1."""
    with name_scope(scope, "hinge_loss") as path:
        labels, logits = _pair(labels, logits, "labels and logits")
        losses = tf.nn.relu(1 - (2 * labels - 1) * logits)
        return compute_weighted_loss(losses, weights, path, loss_collection, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> tf.Tensor:
    """1 - sum(labels * predictions) along `axis` (old name `dim`) of unit vectors."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with name_scope(scope, "cosine_distance_loss") as path:
        labels, predictions = _pair(labels, predictions)
        losses = 1 - tf.reduce_sum(predictions * labels, axis, keepdims=True)
        return compute_weighted_loss(losses, weights, path, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> tf.Tensor:
    """The mean squared difference of differences between all pairs within an example."""
    with name_scope(scope, "mean_pairwise_squared_error"):
        labels, predictions = _pair(labels, predictions)
        weights = _float(weights)
        _check_weights(labels, weights)
        diffs = predictions - labels
        axes = list(range(1, diffs.shape.rank))
        squares = tf.reduce_sum(tf.square(diffs), axes, keepdims=True)
        present = _float(tf.not_equal(tf.ones_like(diffs) * weights, 0))
        count = tf.reduce_sum(present, axes, keepdims=True)
        term1 = 2.0 * _safe_divide(squares, tf.maximum(count - 1, 0))
        total = tf.reduce_sum(diffs, axes, keepdims=True)
        term2 = 2.0 * _safe_divide(tf.square(total), tf.maximum(count * (count - 1), 0))
        losses = tf.reduce_sum((term1 - term2) * weights)
        anything = tf.reduce_sum(present) > 0
        loss = tf.where(anything, losses, 0.0, name="value")
        add_loss(loss, loss_collection)
        return loss


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> tf.Tensor:
    """Cross entropy of independent classes; smoothing pulls labels towards 1/2."""
    if multi_class_labels is None or logits is None:
        raise ValueError("multi_class_labels and logits must not be None.")
    with name_scope(scope, "sigmoid_cross_entropy_loss") as path:
        logits = tf.convert_to_tensor(logits)
        labels = tf.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, path, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> tf.Tensor:
    """Cross entropy of exclusive classes; no gradient flows into the labels."""
    if onehot_labels is None or logits is None:
        raise ValueError("onehot_labels and logits must not be None.")
    with name_scope(scope, "softmax_cross_entropy_loss") as path:
        logits = tf.convert_to_tensor(logits)
        labels = tf.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            classes = tf.cast(tf.shape(labels)[1], logits.dtype)
            labels = labels * (1 - label_smoothing) + label_smoothing / classes
        losses = tf.nn.softmax_cross_entropy_with_logits(tf.stop_gradient(labels), logits)
        return compute_weighted_loss(losses, weights, path, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> tf.Tensor:
    """`softmax_cross_entropy` of class numbers; a last dimension of 1 is dropped from labels."""
    if labels is None or logits is None:
        raise ValueError("labels and logits must not be None.")
    with name_scope(scope, "sparse_softmax_cross_entropy_loss") as path:
        labels, logits = tf.convert_to_tensor(labels), tf.convert_to_tensor(logits)
        weights = tf.convert_to_tensor(weights)
        if labels.shape.rank == logits.shape.rank and labels.shape[-1] == 1:
            labels = tf.squeeze(labels, [-1])
        if weights.shape.rank == logits.shape.rank and weights.shape[-1] == 1:
            weights = tf.squeeze(weights, [-1])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, path, loss_collection, reduction)


# ---- the collection ------------------------------------------------------------------------------
def add_loss(loss: tf.Tensor, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Collects a loss for `get_total_loss` (of this run; see `VariableStore.run`)."""
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_losses(
    scope: str | None = None, loss_collection: str = GraphKeys.LOSSES
) -> list[tf.Tensor]:
    """The losses collected so far."""
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[tf.Tensor]:
    """The penalties of the variables in use, computed now (inside a tape: differentiable)."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> tf.Tensor:
    """The sum of all penalties, 0.0 if there are none."""
    losses = get_regularization_losses(scope)
    return tf.add_n(losses, name=name) if losses else tf.constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> tf.Tensor:
    """The sum of the collected losses and penalties; ValueError if there are none."""
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    if not losses:
        raise ValueError("no losses have been collected in this run")
    return tf.add_n(losses, name=name)
