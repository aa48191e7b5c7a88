"""tf.contrib.estimator: estimators made of others, optimizers that clip, and models of one replica."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from .estimator import Estimator, EstimatorSpec, ModeKeys, PredictOutput
from .optimizers import Optimizer


def add_metrics(estimator: Estimator, metric_fn: Callable[..., dict[str, Any]]) -> Estimator:
    """An estimator that evaluates the metrics of `metric_fn`, too.

    `metric_fn` takes some of `features`, `labels`, `predictions` and `config`.

    Raises:
        ValueError: it takes something else.
    """
    asked = set(inspect.signature(metric_fn).parameters)
    unknown = asked - {"features", "labels", "predictions", "config"}
    if unknown:
        raise ValueError(f"metric_fn takes {sorted(unknown)}, which is not known")

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.call_model_fn(features, labels, mode)
        if mode != ModeKeys.EVAL:
            return spec
        given = {"features": features, "labels": labels, "predictions": spec.predictions,
                 "config": config}
        added = metric_fn(**{name: given[name] for name in asked})
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **added})

    return Estimator(model_fn, estimator.model_dir, estimator.config)


def forward_features(
    estimator: Estimator, keys: str | Sequence[str] | None = None,
    sparse_default_values: dict[str, Any] | None = None,
) -> Estimator:
    """An estimator whose predictions have features (all, or those of `keys`) in them.

    Raises:
        ValueError: when predictions are made: a key is no feature, or is a prediction already.
    """
    names = [keys] if isinstance(keys, str) else keys
    defaults = sparse_default_values or {}

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.call_model_fn(features, labels, mode)
        if not isinstance(spec.predictions, dict):
            raise ValueError(f"Predictions must be a dict, they are {type(spec.predictions)}")
        forwarded = {}
        for name in features if names is None else names:
            if name not in features:
                raise ValueError(f"{name} is not a feature; features are {list(features)}")
            if name in spec.predictions:
                raise ValueError(f"The feature {name} cannot be forwarded: it is a prediction")
            value = features[name]
            forwarded[name] = (
                tf.sparse.to_dense(value, defaults[name]) if name in defaults
                else tf.convert_to_tensor(value))
        exports = {
            name: PredictOutput({**export.outputs, **forwarded})
            if name in ("predict", "serving_default") and isinstance(export, PredictOutput) else export
            for name, export in (spec.export_outputs or {}).items()}
        return spec._replace(predictions={**spec.predictions, **forwarded},
                             export_outputs=exports or spec.export_outputs)

    return Estimator(model_fn, estimator.model_dir, estimator.config)


def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: Any) -> Optimizer:
    """The same optimizer, which from now on scales gradients down to that global norm first."""
    apply = optimizer.apply_gradients

    def clipped(grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        gradients, variables = zip(*grads_and_vars, strict=True)
        gradients, _ = tf.clip_by_global_norm(gradients, clip_norm)
        return apply(zip(gradients, variables, strict=True), *args, **kwargs)

    optimizer.apply_gradients = clipped  # type: ignore[method-assign]
    return optimizer


def replicate_model_fn(
    model_fn: Callable[..., EstimatorSpec], loss_reduction: Any = "weighted_sum_by_nonzero_weights",
    devices: Sequence[str] | None = None,
) -> Callable[..., EstimatorSpec]:
    """`model_fn` on one device, which TensorFlow 1 left as it is where it found one.

    Raises:
        ValueError: the losses of replicas are not reduced, or several devices are named.
    """
    if loss_reduction == "none":
        raise ValueError("Tower losses need to be reduced in some way, yet none reduction is specified.")
    if len(devices or ()) > 1:
        raise ValueError(f"a model computes on one device, not on {devices}: "
                         "train with tf.distribute.MirroredStrategy")
    return model_fn


def TowerOptimizer(optimizer_or_optimizer_fn: Optimizer | Callable[[], Optimizer]) -> Optimizer:
    """The optimizer itself, or what the function makes: with one replica there is nothing to gather."""
    made = optimizer_or_optimizer_fn
    return made if isinstance(made, Optimizer) else made()
