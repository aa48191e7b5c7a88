"""What slim's residual networks of both versions are made of (tf.contrib.slim.nets.resnet_utils)."""
from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from . import slim
from .arg_scope import add_arg_scope, arg_scope
from .initializers import l2_regularizer, variance_scaling_initializer
from .scopes import variable_scope
from .slim_utils import collect_named_outputs, convert_collection_to_dict
from .store import GraphKeys

Block = collections.namedtuple("Block", ["scope", "unit_fn", "args"])


def subsample(inputs: tf.Tensor, factor: int, scope: str | None = None) -> tf.Tensor:
    """Every `factor`-th pixel of [batch, height, width, channels]."""
    return inputs if factor == 1 else slim.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs: tf.Tensor, num_outputs: int, kernel_size: int, stride: int, rate: int = 1,
                scope: str | None = None) -> tf.Tensor:
    """A convolution padded alike on all sides whatever the input's size is, unlike "SAME"."""
    if stride == 1:
        return slim.conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME",
                           scope=scope)
    around = (kernel_size - 1) * rate
    pads = [around // 2, around - around // 2]
    return slim.conv2d(tf.pad(inputs, [[0, 0], pads, pads, [0, 0]]), num_outputs, kernel_size,
                       stride=stride, rate=rate, padding="VALID", scope=scope)


@add_arg_scope
def stack_blocks_dense(net: tf.Tensor, blocks: Sequence[Block], output_stride: float | None = None,
                       outputs_collections: Any = None) -> tf.Tensor:
    """The units of `blocks` in a row; from `output_stride` on, dilated instead of strided.

    Raises:
        ValueError: no unit ends at that stride.
    """
    stride, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as scope:
            for number, unit in enumerate(block.args, 1):
                if output_stride is not None and stride > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                with variable_scope(f"unit_{number}", values=[net]):
                    if output_stride is not None and stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= unit.get("stride", 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        stride *= unit.get("stride", 1)
            net = collect_named_outputs(outputs_collections, scope.name, net)
    if output_stride is not None and stride != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(weight_decay: float = 0.0001, batch_norm_decay: float = 0.997,
                     batch_norm_epsilon: float = 1e-5, batch_norm_scale: bool = True) -> Any:
    """The arguments that the layers of residual networks share, for `slim.arg_scope`."""
    norm = {"decay": batch_norm_decay, "epsilon": batch_norm_epsilon, "scale": batch_norm_scale,
            "updates_collections": GraphKeys.UPDATE_OPS}
    with (
        arg_scope([slim.conv2d], weights_regularizer=l2_regularizer(weight_decay),
                  weights_initializer=variance_scaling_initializer(), activation_fn=tf.nn.relu,
                  normalizer_fn=slim.batch_norm, normalizer_params=norm),
        arg_scope([slim.batch_norm], **norm),
        arg_scope([slim.max_pool2d], padding="SAME") as shared,
    ):
        return shared


def residual_network(
    inputs: tf.Tensor, blocks: Sequence[Block], unit: Callable[..., Any], preactivated: bool,
    num_classes: int | None, is_training: Any, global_pool: bool, output_stride: int | None,
    include_root_block: bool, reuse: Any, scope: str | None, default_scope: str,
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """The body of `resnet_v1` and `resnet_v2`: (features or logits, end points).

    Raises:
        ValueError: an output stride that is no multiple of 4, or that no unit reaches.
    """
    with variable_scope(scope, default_scope, [inputs], reuse=reuse) as opened:
        collection = opened.original_name_scope + "_end_points"
        with (
            arg_scope([slim.conv2d, unit, stack_blocks_dense], outputs_collections=collection),
            arg_scope([slim.batch_norm], is_training=is_training),
        ):
            net, stride = inputs, output_stride
            if include_root_block:
                if stride is not None:
                    if stride % 4 != 0:
                        raise ValueError("The output_stride needs to be a multiple of 4.")
                    stride //= 4
                plain = {"activation_fn": None, "normalizer_fn": None} if preactivated else {}
                with arg_scope([slim.conv2d], **plain):
                    net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = slim.max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = stack_blocks_dense(net, blocks, stride)
            if preactivated:
                net = slim.batch_norm(net, activation_fn=tf.nn.relu, scope="postnorm")
            if global_pool:
                net = tf.reduce_mean(net, [1, 2], keepdims=True, name="pool5")
            if num_classes is not None:
                net = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                                  scope="logits")
            end_points = convert_collection_to_dict(collection)
            if num_classes is not None:
                end_points["predictions"] = slim.softmax(net, scope="predictions")
            return net, end_points


def bottleneck_block(scope: str, unit: Callable[..., Any], base_depth: int, num_units: int,
                     stride: int) -> Block:
    """A block of `num_units` bottlenecks, the last of which has the stride."""
    sizes = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    strides = [1] * (num_units - 1) + [stride]
    return Block(scope, unit, [{**sizes, "stride": one} for one in strides])
