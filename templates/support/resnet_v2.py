"""slim's residual networks whose units begin with batch norm (tf.contrib.slim.nets.resnet_v2)."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from . import resnet_utils, slim
from .arg_scope import add_arg_scope
from .scopes import variable_scope
from .slim_utils import collect_named_outputs, last_dimension

resnet_arg_scope = resnet_utils.resnet_arg_scope


@add_arg_scope
def bottleneck(inputs: tf.Tensor, depth: int, depth_bottleneck: int, stride: int, rate: int = 1,
               outputs_collections: Any = None, scope: str | None = None) -> tf.Tensor:
    """One unit: 1 x 1, 3 x 3 and 1 x 1 convolutions beside a shortcut."""
    plain = {"normalizer_fn": None, "activation_fn": None}
    with variable_scope(scope, "bottleneck_v2", [inputs]) as opened:
        active = slim.batch_norm(inputs, activation_fn=tf.nn.relu, scope="preact")
        if depth == last_dimension(inputs.shape, min_rank=4):
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = slim.conv2d(active, depth, [1, 1], stride=stride, scope="shortcut", **plain)
        residual = slim.conv2d(active, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate,
                                            scope="conv2")
        residual = slim.conv2d(residual, depth, [1, 1], stride=1, scope="conv3", **plain)
        return collect_named_outputs(outputs_collections, opened.name, shortcut + residual)


def _of_size_224(network: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a network the height and width of the images that it was made for."""
    network.default_image_size = 224  # type: ignore[attr-defined]
    return network


@_of_size_224
def resnet_v2(
    inputs: tf.Tensor, blocks: Sequence[resnet_utils.Block], num_classes: int | None = None,
    is_training: Any = True, global_pool: bool = True, output_stride: int | None = None,
    include_root_block: bool = True, reuse: Any = None, scope: str | None = None,
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(features or logits [batch, height, width, depth], end points) of a network of `blocks`."""
    return resnet_utils.residual_network(
        inputs, blocks, bottleneck, True, num_classes, is_training, global_pool, output_stride,
        include_root_block, reuse, scope, "resnet_v2")


def resnet_v2_block(scope: str, base_depth: int, num_units: int, stride: int
                    ) -> resnet_utils.Block:
    """A block of `num_units` bottlenecks, the last of which has the stride."""
    return resnet_utils.bottleneck_block(scope, bottleneck, base_depth, num_units, stride)


def _blocks(*units: int) -> list[resnet_utils.Block]:
    return [resnet_v2_block(f"block{number}", 32 * 2**number, count, 1 if number == 4 else 2)
            for number, count in enumerate(units, 1)]


@_of_size_224
def resnet_v2_50(
    inputs: tf.Tensor, num_classes: int | None = None, is_training: Any = True,
    global_pool: bool = True, output_stride: int | None = None, reuse: Any = None,
    scope: str = "resnet_v2_50",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """`resnet_v2` with 50 layers."""
    return resnet_v2(inputs, _blocks(3, 4, 6, 3), num_classes, is_training, global_pool,
                     output_stride, reuse=reuse, scope=scope)


@_of_size_224
def resnet_v2_101(
    inputs: tf.Tensor, num_classes: int | None = None, is_training: Any = True,
    global_pool: bool = True, output_stride: int | None = None, reuse: Any = None,
    scope: str = "resnet_v2_101",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """`resnet_v2` with 101 layers."""
    return resnet_v2(inputs, _blocks(3, 4, 23, 3), num_classes, is_training, global_pool,
                     output_stride, reuse=reuse, scope=scope)


@_of_size_224
def resnet_v2_152(
    inputs: tf.Tensor, num_classes: int | None = None, is_training: Any = True,
    global_pool: bool = True, output_stride: int | None = None, reuse: Any = None,
    scope: str = "resnet_v2_152",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """`resnet_v2` with 152 layers."""
    return resnet_v2(inputs, _blocks(3, 8, 36, 3), num_classes, is_training, global_pool,
                     output_stride, reuse=reuse, scope=scope)


@_of_size_224
def resnet_v2_200(
    inputs: tf.Tensor, num_classes: int | None = None, is_training: Any = True,
    global_pool: bool = True, output_stride: int | None = None, reuse: Any = None,
    scope: str = "resnet_v2_200",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """`resnet_v2` with 200 layers."""
    return resnet_v2(inputs, _blocks(3, 24, 36, 3), num_classes, is_training, global_pool,
                     output_stride, reuse=reuse, scope=scope)
