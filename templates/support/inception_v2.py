"""slim's Inception with batch norm (contrib.slim.nets: inception_v2), after arXiv:1502.03167."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import slim
from .arg_scope import arg_scope
from .inception_blocks import (
    Branch,
    Step,
    avg_pool,
    batch_norm_arguments,
    conv,
    depths,
    inception_arg_scope,
    logits_of,
    max_pool,
    network,
    pooled,
    spread,
)
from .scopes import variable_scope

# name -> depths of the branches: 1 x 1; 1 x 1 and 3 x 3; 1 x 1 and twice 3 x 3; behind the pool.
# Four depths: a block of stride 2, whose third branch is a pool.
_MIXED = {
    "Mixed_3b": (64, 64, 64, 64, 96, 32),
    "Mixed_3c": (64, 64, 96, 64, 96, 64),
    "Mixed_4a": (128, 160, 64, 96),
    "Mixed_4b": (224, 64, 96, 96, 128, 128),
    "Mixed_4c": (192, 96, 128, 96, 128, 128),
    "Mixed_4d": (160, 128, 160, 128, 160, 96),
    "Mixed_4e": (96, 128, 192, 160, 192, 96),
    "Mixed_5a": (128, 192, 192, 256),
    "Mixed_5b": (352, 192, 320, 160, 224, 128),
    "Mixed_5c": (352, 192, 320, 192, 224, 128),
}


def _narrowing(name: str) -> list[Branch]:
    first, large, second, last = _MIXED[name]
    return [
        [conv("Conv2d_0a_1x1", first, **spread(0.09)),
         conv("Conv2d_1a_3x3", large, (3, 3), stride=2)],
        [conv("Conv2d_0a_1x1", second, **spread(0.09)), conv("Conv2d_0b_3x3", last, (3, 3)),
         conv("Conv2d_1a_3x3", last, (3, 3), stride=2)],
        [max_pool("MaxPool_1a_3x3", stride=2)],
    ]


def _mixed(name: str) -> list[Branch]:
    if len(_MIXED[name]) == 4:
        return _narrowing(name)
    straight, before_1, large_1, before_2, large_2, pooled = _MIXED[name]
    pool = max_pool("MaxPool_0a_3x3") if name == "Mixed_5c" else avg_pool("AvgPool_0a_3x3")
    return [
        [conv("Conv2d_0a_1x1", straight)],
        [conv("Conv2d_0a_1x1", before_1, **spread(0.09)),
         conv("Conv2d_0b_3x3", large_1, (3, 3))],
        [conv("Conv2d_0a_1x1", before_2, **spread(0.09)), conv("Conv2d_0b_3x3", large_2, (3, 3)),
         conv("Conv2d_0c_3x3", large_2, (3, 3))],
        [pool, conv("Conv2d_0b_1x1", pooled, **spread(0.1))],
    ]


def _blocks(depth: Callable[[int], int]) -> dict[str, list[Branch]]:
    first = Step("Conv2d_1a_7x7", slim.separable_conv2d, 64, (7, 7), {
        "depth_multiplier": min(depth(64) // 3, 8), "stride": 2, **spread(1.0)})
    return {
        "Conv2d_1a_7x7": [[first]],
        "MaxPool_2a_3x3": [[max_pool("MaxPool_2a_3x3", stride=2)]],
        "Conv2d_2b_1x1": [[conv("Conv2d_2b_1x1", 64, **spread(0.1))]],
        "Conv2d_2c_3x3": [[conv("Conv2d_2c_3x3", 192, (3, 3))]],
        "MaxPool_3a_3x3": [[max_pool("MaxPool_3a_3x3", stride=2)]],
        **{name: _mixed(name) for name in _MIXED},
    }


def inception_v2_base(
    inputs: tf.Tensor, final_endpoint: str = "Mixed_5c", min_depth: int = 16,
    depth_multiplier: float = 1.0, scope: Any = None,
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(activation, end points) of the network up to `final_endpoint`.

    Raises:
        ValueError: there is no such end point, or `depth_multiplier` is not positive.
    """
    depth = depths(depth_multiplier, min_depth)
    with variable_scope(scope, "InceptionV2", [inputs]):
        return network(inputs, _blocks(depth), final_endpoint, depth)


def inception_v2(
    inputs: tf.Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.8, min_depth: int = 16, depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = slim.softmax, spatial_squeeze: bool = True,
    reuse: Any = None, scope: Any = "InceptionV2",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(logits, end points) of [batch, 224, 224, 3] images.

    Raises:
        ValueError: `depth_multiplier` is not positive.
    """
    with (
        variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as opened,
        arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
    ):
        net, end_points = inception_v2_base(
            inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=opened)
        with variable_scope("Logits"):
            net = pooled(net, 7, dropout_keep_prob)
            logits = logits_of(net, num_classes, "Conv2d_1c_1x1", spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, end_points


inception_v2.default_image_size = 224  # type: ignore[attr-defined]


def inception_v2_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars"
) -> Any:
    """The arguments that the layers share, for `slim.arg_scope`."""
    return inception_arg_scope(
        weight_decay, slim.batch_norm, batch_norm_arguments(batch_norm_var_collection))
