"""What slim's Inception networks share: blocks of branches, end points, arguments of layers."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from . import slim
from .arg_scope import arg_scope
from .initializers import l2_regularizer, truncated_normal_initializer, variance_scaling_initializer
from .scopes import variable_scope
from .store import GraphKeys


class Step(NamedTuple):
    """One layer of a branch: its scope, its function, its depth (None: a pool), its kernel."""

    scope: str
    layer: Callable[..., Any]
    depth: int | None
    kernel: tuple[int, int]
    options: dict[str, Any]


Branch = Sequence[Step | tuple[Step, ...]]


def conv(scope: str, depth: int, kernel: tuple[int, int] = (1, 1), **options: Any) -> Step:
    """A convolution."""
    return Step(scope, slim.conv2d, depth, kernel, options)


def max_pool(scope: str, size: int = 3, **options: Any) -> Step:
    """A square max pool."""
    return Step(scope, slim.max_pool2d, None, (size, size), options)


def avg_pool(scope: str) -> Step:
    """An average pool of 3 x 3."""
    return Step(scope, slim.avg_pool2d, None, (3, 3), {})


def spread(stddev: float) -> dict[str, Any]:
    """The argument of a convolution whose weights begin that far from zero."""
    return {"weights_initializer": truncated_normal_initializer(0.0, stddev)}


def _layer(net: tf.Tensor, step: Step, depth: Callable[[int], int]) -> tf.Tensor:
    options = {"stride": 1, "padding": "SAME", **step.options}
    if step.depth is None:
        return step.layer(net, list(step.kernel), scope=step.scope, **options)
    return step.layer(net, depth(step.depth), list(step.kernel), scope=step.scope, **options)


def _branch(net: tf.Tensor, steps: Branch, depth: Callable[[int], int]) -> tf.Tensor:
    """One layer behind the other; those of a tuple stand side by side."""
    for step in steps:
        if isinstance(step, Step):
            net = _layer(net, step, depth)
        else:
            net = tf.concat([_layer(net, part, depth) for part in step], 3)
    return net


def network(
    inputs: tf.Tensor, blocks: Mapping[str, Sequence[Branch]], final_endpoint: str,
    depth: Callable[[int], int] = int,
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(activation, end points) of blocks up to `final_endpoint`; a block of one branch is a layer.

    Raises:
        ValueError: no block is called `final_endpoint`.
    """
    net, end_points = inputs, {}
    for name, branches in blocks.items():
        if len(branches) == 1:
            net = _branch(net, branches[0], depth)
        else:
            with variable_scope(name):
                outputs = []
                for number, steps in enumerate(branches):
                    with variable_scope(f"Branch_{number}"):
                        outputs.append(_branch(net, steps, depth))
                net = tf.concat(outputs, 3)
        end_points[name] = net
        if name == final_endpoint:
            return net, end_points
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def depths(depth_multiplier: float, min_depth: int) -> Callable[[int], int]:
    """Depth of a layer -> its depth in a thinner or wider network.

    Raises:
        ValueError: `depth_multiplier` is not positive.
    """
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def kernel_within(net: tf.Tensor, size: int) -> list[int]:
    """A square kernel, cut to height and width of `net` where they are known and smaller."""
    height, width = net.shape[1], net.shape[2]
    if height is None or width is None:
        return [size, size]
    return [min(height, size), min(width, size)]


def pooled(net: tf.Tensor, size: int, keep_prob: float) -> tf.Tensor:
    """What the logits are made of: averages over `size` x `size` at most, behind a dropout."""
    kernel = kernel_within(net, size)
    net = slim.avg_pool2d(net, kernel, padding="VALID", scope=f"AvgPool_1a_{kernel[0]}x{kernel[1]}")
    return slim.dropout(net, keep_prob=keep_prob, scope="Dropout_1b")


def logits_of(net: tf.Tensor, num_classes: int, scope: str, spatial_squeeze: bool) -> tf.Tensor:
    """Logits, [batch, num_classes], or with height and width where they are not squeezed."""
    logits = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                         scope=scope)
    return tf.squeeze(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits


def batch_norm_arguments(collection: str, **arguments: Any) -> dict[str, Any]:
    """What batch norm is given; moving statistics go into that collection, too."""
    return {
        "decay": 0.9997,
        "epsilon": 0.001,
        "updates_collections": GraphKeys.UPDATE_OPS,
        "variables_collections": {
            "beta": None, "gamma": None, "moving_mean": [collection],
            "moving_variance": [collection],
        },
        **arguments,
    }


def inception_arg_scope(weight_decay: float, normalizer_fn: Any, normalizer_params: Any) -> Any:
    """The arguments that the layers of an Inception network share, for `slim.arg_scope`."""
    with (
        arg_scope([slim.conv2d, slim.fully_connected],
                  weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope([slim.conv2d], weights_initializer=variance_scaling_initializer(),
                  activation_fn=tf.nn.relu, normalizer_fn=normalizer_fn,
                  normalizer_params=normalizer_params) as shared,
    ):
        return shared
