"""slim's GoogLeNet (tf.contrib.slim.nets.inception: inception_v1), after arXiv:1409.4842."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import slim
from .arg_scope import arg_scope
from .inception_blocks import (
    Branch,
    batch_norm_arguments,
    conv,
    inception_arg_scope,
    logits_of,
    max_pool,
    network,
)
from .initializers import truncated_normal_initializer
from .scopes import variable_scope

# name -> depths of the branches: 1 x 1; 1 x 1 and 3 x 3; 1 x 1 and 3 x 3; behind the pool
_MIXED = {
    "Mixed_3b": (64, 96, 128, 16, 32, 32),
    "Mixed_3c": (128, 128, 192, 32, 96, 64),
    "MaxPool_4a_3x3": (),
    "Mixed_4b": (192, 96, 208, 16, 48, 64),
    "Mixed_4c": (160, 112, 224, 24, 64, 64),
    "Mixed_4d": (128, 128, 256, 24, 64, 64),
    "Mixed_4e": (112, 144, 288, 32, 64, 64),
    "Mixed_4f": (256, 160, 320, 32, 128, 128),
    "MaxPool_5a_2x2": (),
    "Mixed_5b": (256, 160, 320, 32, 128, 128),
    "Mixed_5c": (384, 192, 384, 48, 128, 128),
}


def _blocks() -> dict[str, list[Branch]]:
    found: dict[str, list[Branch]] = {
        "Conv2d_1a_7x7": [[conv("Conv2d_1a_7x7", 64, (7, 7), stride=2)]],
        "MaxPool_2a_3x3": [[max_pool("MaxPool_2a_3x3", stride=2)]],
        "Conv2d_2b_1x1": [[conv("Conv2d_2b_1x1", 64)]],
        "Conv2d_2c_3x3": [[conv("Conv2d_2c_3x3", 192, (3, 3))]],
        "MaxPool_3a_3x3": [[max_pool("MaxPool_3a_3x3", stride=2)]],
    }
    for name, depths in _MIXED.items():
        if not depths:
            found[name] = [[max_pool(name, int(name[-1]), stride=2)]]
            continue
        straight, before_1, large_1, before_2, large_2, pooled = depths
        # one layer is misnamed in the published checkpoints
        second = "Conv2d_0a_3x3" if name == "Mixed_5b" else "Conv2d_0b_3x3"
        found[name] = [
            [conv("Conv2d_0a_1x1", straight)],
            [conv("Conv2d_0a_1x1", before_1), conv("Conv2d_0b_3x3", large_1, (3, 3))],
            [conv("Conv2d_0a_1x1", before_2), conv(second, large_2, (3, 3))],
            [max_pool("MaxPool_0a_3x3"), conv("Conv2d_0b_1x1", pooled)],
        ]
    return found


def inception_v1_base(
    inputs: tf.Tensor, final_endpoint: str = "Mixed_5c", scope: Any = "InceptionV1"
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(activation, end points) of the network up to `final_endpoint`.

    Raises:
        ValueError: there is no such end point.
    """
    with (
        variable_scope(scope, "InceptionV1", [inputs]),
        arg_scope([slim.conv2d, slim.fully_connected],
                  weights_initializer=truncated_normal_initializer(0.0, 0.01)),
    ):
        return network(inputs, _blocks(), final_endpoint)


def inception_v1(
    inputs: tf.Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.8, prediction_fn: Callable[..., Any] = slim.softmax,
    spatial_squeeze: bool = True, reuse: Any = None, scope: Any = "InceptionV1",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(logits, end points) of [batch, 224, 224, 3] images."""
    with (
        variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as opened,
        arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
    ):
        net, end_points = inception_v1_base(inputs, scope=opened)
        with variable_scope("Logits"):
            net = slim.avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
            net = slim.dropout(net, dropout_keep_prob, scope="Dropout_0b")
            logits = logits_of(net, num_classes, "Conv2d_0c_1x1", spatial_squeeze)
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, end_points


inception_v1.default_image_size = 224  # type: ignore[attr-defined]


def inception_v1_arg_scope(
    weight_decay: float = 0.00004, use_batch_norm: bool = True,
    batch_norm_var_collection: str = "moving_vars",
) -> Any:
    """The arguments that the layers share, for `slim.arg_scope`."""
    if not use_batch_norm:
        return inception_arg_scope(weight_decay, None, {})
    return inception_arg_scope(
        weight_decay, slim.batch_norm, batch_norm_arguments(batch_norm_var_collection))
