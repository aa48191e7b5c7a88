"""slim's Inception of factored convolutions (contrib.slim.nets: inception_v3), after arXiv:1512.00567."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import slim
from .arg_scope import arg_scope
from .inception_blocks import (
    Branch,
    avg_pool,
    batch_norm_arguments,
    conv,
    depths,
    inception_arg_scope,
    kernel_within,
    logits_of,
    max_pool,
    network,
    pooled,
    spread,
)
from .scopes import variable_scope
from .store import GraphKeys


def _mixed_5(pooled: int, first: str = "Conv2d_0a_1x1", large: str = "Conv2d_0b_5x5"
             ) -> list[Branch]:
    return [
        [conv("Conv2d_0a_1x1", 64)],
        [conv(first, 48), conv(large, 64, (5, 5))],
        [conv("Conv2d_0a_1x1", 64), conv("Conv2d_0b_3x3", 96, (3, 3)),
         conv("Conv2d_0c_3x3", 96, (3, 3))],
        [avg_pool("AvgPool_0a_3x3"), conv("Conv2d_0b_1x1", pooled)],
    ]


def _mixed_6(narrow: int) -> list[Branch]:
    """Convolutions of 7 x 7, each as one of 1 x 7 and one of 7 x 1."""
    return [
        [conv("Conv2d_0a_1x1", 192)],
        [conv("Conv2d_0a_1x1", narrow), conv("Conv2d_0b_1x7", narrow, (1, 7)),
         conv("Conv2d_0c_7x1", 192, (7, 1))],
        [conv("Conv2d_0a_1x1", narrow), conv("Conv2d_0b_7x1", narrow, (7, 1)),
         conv("Conv2d_0c_1x7", narrow, (1, 7)), conv("Conv2d_0d_7x1", narrow, (7, 1)),
         conv("Conv2d_0e_1x7", 192, (1, 7))],
        [avg_pool("AvgPool_0a_3x3"), conv("Conv2d_0b_1x1", 192)],
    ]


def _mixed_7(second: str) -> list[Branch]:
    """Blocks whose 1 x 3 and 3 x 1 convolutions stand side by side."""
    return [
        [conv("Conv2d_0a_1x1", 320)],
        [conv("Conv2d_0a_1x1", 384),
         (conv("Conv2d_0b_1x3", 384, (1, 3)), conv(second, 384, (3, 1)))],
        [conv("Conv2d_0a_1x1", 448), conv("Conv2d_0b_3x3", 384, (3, 3)),
         (conv("Conv2d_0c_1x3", 384, (1, 3)), conv("Conv2d_0d_3x1", 384, (3, 1)))],
        [avg_pool("AvgPool_0a_3x3"), conv("Conv2d_0b_1x1", 192)],
    ]


def _blocks() -> dict[str, list[Branch]]:
    """Some scopes are misnamed, as in the published checkpoints."""
    half: dict[str, Any] = {"stride": 2, "padding": "VALID"}
    valid: dict[str, Any] = {"padding": "VALID"}
    return {
        "Conv2d_1a_3x3": [[conv("Conv2d_1a_3x3", 32, (3, 3), **half)]],
        "Conv2d_2a_3x3": [[conv("Conv2d_2a_3x3", 32, (3, 3), **valid)]],
        "Conv2d_2b_3x3": [[conv("Conv2d_2b_3x3", 64, (3, 3))]],
        "MaxPool_3a_3x3": [[max_pool("MaxPool_3a_3x3", **half)]],
        "Conv2d_3b_1x1": [[conv("Conv2d_3b_1x1", 80, **valid)]],
        "Conv2d_4a_3x3": [[conv("Conv2d_4a_3x3", 192, (3, 3), **valid)]],
        "MaxPool_5a_3x3": [[max_pool("MaxPool_5a_3x3", **half)]],
        "Mixed_5b": _mixed_5(32),
        "Mixed_5c": _mixed_5(64, "Conv2d_0b_1x1", "Conv_1_0c_5x5"),
        "Mixed_5d": _mixed_5(64),
        "Mixed_6a": [
            [conv("Conv2d_1a_1x1", 384, (3, 3), **half)],
            [conv("Conv2d_0a_1x1", 64), conv("Conv2d_0b_3x3", 96, (3, 3)),
             conv("Conv2d_1a_1x1", 96, (3, 3), **half)],
            [max_pool("MaxPool_1a_3x3", **half)],
        ],
        "Mixed_6b": _mixed_6(128),
        "Mixed_6c": _mixed_6(160),
        "Mixed_6d": _mixed_6(160),
        "Mixed_6e": _mixed_6(192),
        "Mixed_7a": [
            [conv("Conv2d_0a_1x1", 192), conv("Conv2d_1a_3x3", 320, (3, 3), **half)],
            [conv("Conv2d_0a_1x1", 192), conv("Conv2d_0b_1x7", 192, (1, 7)),
             conv("Conv2d_0c_7x1", 192, (7, 1)), conv("Conv2d_1a_3x3", 192, (3, 3), **half)],
            [max_pool("MaxPool_1a_3x3", **half)],
        ],
        "Mixed_7b": _mixed_7("Conv2d_0b_3x1"),
        "Mixed_7c": _mixed_7("Conv2d_0c_3x1"),
    }


def inception_v3_base(
    inputs: tf.Tensor, final_endpoint: str = "Mixed_7c", min_depth: int = 16,
    depth_multiplier: float = 1.0, scope: Any = None,
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(activation, end points) of the network up to `final_endpoint`.

    Raises:
        ValueError: there is no such end point, or `depth_multiplier` is not positive.
    """
    depth = depths(depth_multiplier, min_depth)
    with variable_scope(scope, "InceptionV3", [inputs]):
        return network(inputs, _blocks(), final_endpoint, depth)


def _auxiliary(net: tf.Tensor, num_classes: int, depth: Callable[[int], int],
               spatial_squeeze: bool) -> tf.Tensor:
    """The logits of the classifier beside the network, which looks at `Mixed_6e`."""
    with variable_scope("AuxLogits"):
        net = slim.avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
        net = slim.conv2d(net, depth(128), [1, 1], stride=1, padding="SAME",
                          scope="Conv2d_1b_1x1")
        kernel = kernel_within(net, 5)
        net = slim.conv2d(net, depth(768), kernel, stride=1, padding="VALID",
                          scope=f"Conv2d_2a_{kernel[0]}x{kernel[1]}", **spread(0.01))
        with arg_scope([slim.conv2d], stride=1, padding="SAME", **spread(0.001)):
            return logits_of(net, num_classes, "Conv2d_2b_1x1", spatial_squeeze)


def inception_v3(
    inputs: tf.Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.8, min_depth: int = 16, depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = slim.softmax, spatial_squeeze: bool = True,
    reuse: Any = None, scope: Any = "InceptionV3",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(logits, end points) of [batch, 299, 299, 3] images; AuxLogits are those of the side.

    Raises:
        ValueError: `depth_multiplier` is not positive.
    """
    depth = depths(depth_multiplier, min_depth)
    with (
        variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as opened,
        arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
    ):
        net, end_points = inception_v3_base(
            inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=opened)
        end_points["AuxLogits"] = _auxiliary(
            end_points["Mixed_6e"], num_classes, depth, spatial_squeeze)
        with variable_scope("Logits"):
            net = pooled(net, 8, dropout_keep_prob)
            end_points["PreLogits"] = net
            logits = logits_of(net, num_classes, "Conv2d_1c_1x1", spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, end_points


inception_v3.default_image_size = 299  # type: ignore[attr-defined]


def inception_v3_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997, batch_norm_epsilon: float = 0.001,
    updates_collections: Any = GraphKeys.UPDATE_OPS, use_fused_batchnorm: bool = True,
) -> Any:
    """The arguments that the layers share, for `slim.arg_scope`."""
    arguments = batch_norm_arguments(
        batch_norm_var_collection, decay=batch_norm_decay, epsilon=batch_norm_epsilon,
        updates_collections=updates_collections, fused=use_fused_batchnorm)
    return inception_arg_scope(weight_decay, slim.batch_norm, arguments)
