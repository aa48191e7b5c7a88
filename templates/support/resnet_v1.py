"""slim's residual networks with batch norm behind each convolution (tf.contrib.slim.nets.resnet_v1)."""
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
    with variable_scope(scope, "bottleneck_v1", [inputs]) as opened:
        if depth == last_dimension(inputs.shape, min_rank=4):
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = slim.conv2d(inputs, depth, [1, 1], stride=stride, activation_fn=None,
                                   scope="shortcut")
        residual = slim.conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate,
                                            scope="conv2")
        residual = slim.conv2d(residual, depth, [1, 1], stride=1, activation_fn=None,
                               scope="conv3")
        return collect_named_outputs(
            outputs_collections, opened.name, tf.nn.relu(shortcut + residual))


def _of_size_224(network: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a network the height and width of the images that it was made for."""
    network.default_image_size = 224  # type: ignore[attr-defined]
    return network


@_of_size_224
def resnet_v1(
    inputs: tf.Tensor, blocks: Sequence[resnet_utils.Block], num_classes: int | None = None,
    is_training: Any = True, global_pool: bool = True, output_stride: int | None = None,
    include_root_block: bool = True, reuse: Any = None, scope: str | None = None,
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(features or logits [batch, height, width, depth], end points) of a network of `blocks`."""
    return resnet_utils.residual_network(
        inputs, blocks, bottleneck, False, num_classes, is_training, global_pool, output_stride,
        include_root_block, reuse, scope, "resnet_v1")


def resnet_v1_block(scope: str, base_depth: int, num_units: int, stride: int
                    ) -> resnet_utils.Block:
    """A block of `num_units` bottlenecks, the last of which has the stride."""
    return resnet_utils.bottleneck_block(scope, bottleneck, base_depth, num_units, stride)


def _blocks(*units: int) -> list[resnet_utils.Block]:
    return [resnet_v1_block(f"block{number}", 32 * 2**number, count, 1 if number == 4 else 2)
            for number, count in enumerate(units, 1)]


@_of_size_224
def resnet_v1_50(
    inputs: tf.Tensor, num_classes: int | None = None, is_training: Any = True,
    global_pool: bool = True, output_stride: int | None = None, reuse: Any = None,
    scope: str = "resnet_v1_50",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """`resnet_v1` with 50 layers."""
    return resnet_v1(inputs, _blocks(3, 4, 6, 3), num_classes, is_training, global_pool,
                     output_stride, reuse=reuse, scope=scope)


@_of_size_224
def resnet_v1_101(
    inputs: tf.Tensor, num_classes: int | None = None, is_training: Any = True,
    global_pool: bool = True, output_stride: int | None = None, reuse: Any = None,
    scope: str = "resnet_v1_101",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """`resnet_v1` with 101 layers."""
    return resnet_v1(inputs, _blocks(3, 4, 23, 3), num_classes, is_training, global_pool,
                     output_stride, reuse=reuse, scope=scope)


@_of_size_224
def resnet_v1_152(
    inputs: tf.Tensor, num_classes: int | None = None, is_training: Any = True,
    global_pool: bool = True, output_stride: int | None = None, reuse: Any = None,
    scope: str = "resnet_v1_152",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """`resnet_v1` with 152 layers."""
    return resnet_v1(inputs, _blocks(3, 8, 36, 3), num_classes, is_training, global_pool,
                     output_stride, reuse=reuse, scope=scope)


@_of_size_224
def resnet_v1_200(
    inputs: tf.Tensor, num_classes: int | None = None, is_training: Any = True,
    global_pool: bool = True, output_stride: int | None = None, reuse: Any = None,
    scope: str = "resnet_v1_200",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """`resnet_v1` with 200 layers."""
    return resnet_v1(inputs, _blocks(3, 24, 36, 3), num_classes, is_training, global_pool,
                     output_stride, reuse=reuse, scope=scope)
