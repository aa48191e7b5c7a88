"""slim's VGG networks (tf.contrib.slim.nets.vgg)."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import slim
from .arg_scope import arg_scope
from .initializers import l2_regularizer
from .scopes import variable_scope
from .slim_utils import convert_collection_to_dict


def vgg_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments that the layers of VGG share, for `slim.arg_scope`."""
    with (
        arg_scope([slim.conv2d, slim.fully_connected], activation_fn=tf.nn.relu,
                  weights_regularizer=l2_regularizer(weight_decay),
                  biases_initializer=tf.zeros_initializer()),
        arg_scope([slim.conv2d], padding="SAME") as shared,
    ):
        return shared


def _network(
    repeats: tuple[int, ...], by_name: bool, inputs: tf.Tensor, num_classes: int, is_training: Any,
    dropout_keep_prob: float, spatial_squeeze: bool, scope: str, default_scope: str,
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """Convolutions in five groups of `repeats`, then three layers as convolutions."""
    with variable_scope(scope, default_scope, [inputs]) as opened:
        collection = (opened.name if by_name else opened.original_name_scope) + "_end_points"
        with arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d],
                       outputs_collections=collection):
            net = inputs
            for number, (count, depth) in enumerate(
                zip(repeats, (64, 128, 256, 512, 512), strict=True), 1
            ):
                net = slim.repeat(net, count, slim.conv2d, depth, [3, 3], scope=f"conv{number}")
                net = slim.max_pool2d(net, [2, 2], scope=f"pool{number}")
            net = slim.conv2d(net, 4096, [7, 7], padding="VALID", scope="fc6")
            net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
            net = slim.conv2d(net, 4096, [1, 1], scope="fc7")
            net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
            net = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                              scope="fc8")
            end_points = convert_collection_to_dict(collection)
            if spatial_squeeze:
                net = tf.squeeze(net, [1, 2], name="fc8/squeezed")
                end_points[opened.name + "/fc8"] = net
            return net, end_points


def _of_size_224(network: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a network the height and width of the images that it was made for."""
    network.default_image_size = 224  # type: ignore[attr-defined]
    return network


@_of_size_224
def vgg_a(
    inputs: tf.Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: str = "vgg_a",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """VGG with 11 layers: (logits, end points) of [batch, 224, 224, 3] images."""
    return _network((1, 1, 2, 2, 2), False, inputs, num_classes, is_training, dropout_keep_prob,
                    spatial_squeeze, scope, "vgg_a")


@_of_size_224
def vgg_16(
    inputs: tf.Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: str = "vgg_16",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """VGG with 16 layers: (logits, end points) of [batch, 224, 224, 3] images."""
    return _network((2, 2, 3, 3, 3), False, inputs, num_classes, is_training, dropout_keep_prob,
                    spatial_squeeze, scope, "vgg_16")


@_of_size_224
def vgg_19(
    inputs: tf.Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: str = "vgg_19",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """VGG with 19 layers: (logits, end points) of [batch, 224, 224, 3] images."""
    return _network((2, 2, 4, 4, 4), True, inputs, num_classes, is_training, dropout_keep_prob,
                    spatial_squeeze, scope, "vgg_19")


vgg_d = vgg_16
vgg_e = vgg_19
