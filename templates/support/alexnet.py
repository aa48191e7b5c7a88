"""slim's AlexNet and OverFeat (tf.contrib.slim.nets.alexnet, tf.contrib.slim.nets.overfeat)."""
from __future__ import annotations

from typing import Any

import tensorflow as tf

from . import slim
from .arg_scope import arg_scope
from .initializers import constant_initializer, l2_regularizer, truncated_normal_initializer
from .scopes import variable_scope
from .slim_utils import convert_collection_to_dict


def _shared_arguments(weight_decay: float, bias: float) -> Any:
    with (
        arg_scope([slim.conv2d, slim.fully_connected], activation_fn=tf.nn.relu,
                  biases_initializer=constant_initializer(bias),
                  weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope([slim.conv2d], padding="SAME"),
        arg_scope([slim.max_pool2d], padding="VALID") as shared,
    ):
        return shared


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments that the layers of AlexNet share, for `slim.arg_scope`."""
    return _shared_arguments(weight_decay, 0.1)


def overfeat_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments that the layers of OverFeat share, for `slim.arg_scope`."""
    return _shared_arguments(weight_decay, 0.0)


def _classifier(net: tf.Tensor, hidden: int, kernel: int, num_classes: int, is_training: Any,
                keep_prob: float) -> tf.Tensor:
    """Three layers, written as convolutions, with dropout between them."""
    with arg_scope([slim.conv2d], weights_initializer=truncated_normal_initializer(0.0, 0.005),
                   biases_initializer=constant_initializer(0.1)):
        net = slim.conv2d(net, hidden, [kernel, kernel], padding="VALID", scope="fc6")
        net = slim.dropout(net, keep_prob, is_training=is_training, scope="dropout6")
        net = slim.conv2d(net, 4096, [1, 1], scope="fc7")
        net = slim.dropout(net, keep_prob, is_training=is_training, scope="dropout7")
        return slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                           biases_initializer=tf.zeros_initializer(), scope="fc8")


def _ends(net: tf.Tensor, collection: str, opened: Any, spatial_squeeze: bool
          ) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    end_points = convert_collection_to_dict(collection)
    if spatial_squeeze:
        net = tf.squeeze(net, [1, 2], name="fc8/squeezed")
        end_points[opened.name + "/fc8"] = net
    return net, end_points


def alexnet_v2(
    inputs: tf.Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: str = "alexnet_v2",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(logits, end points) of [batch, 224, 224, 3] images, after arXiv:1404.5997."""
    with variable_scope(scope, "alexnet_v2", [inputs]) as opened:
        collection = opened.original_name_scope + "_end_points"
        with arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d],
                       outputs_collections=[collection]):
            net = slim.conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = slim.max_pool2d(net, [3, 3], 2, scope="pool1")
            net = slim.conv2d(net, 192, [5, 5], scope="conv2")
            net = slim.max_pool2d(net, [3, 3], 2, scope="pool2")
            for number, depth in ((3, 384), (4, 384), (5, 256)):
                net = slim.conv2d(net, depth, [3, 3], scope=f"conv{number}")
            net = slim.max_pool2d(net, [3, 3], 2, scope="pool5")
            net = _classifier(net, 4096, 5, num_classes, is_training, dropout_keep_prob)
            return _ends(net, collection, opened, spatial_squeeze)


def overfeat(
    inputs: tf.Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: str = "overfeat",
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """(logits, end points) of [batch, 231, 231, 3] images, after arXiv:1312.6229."""
    with variable_scope(scope, "overfeat", [inputs]) as opened:
        collection = opened.name + "_end_points"
        with arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d],
                       outputs_collections=collection):
            net = slim.conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = slim.max_pool2d(net, [2, 2], scope="pool1")
            net = slim.conv2d(net, 256, [5, 5], padding="VALID", scope="conv2")
            net = slim.max_pool2d(net, [2, 2], scope="pool2")
            for number, depth in ((3, 512), (4, 1024), (5, 1024)):
                net = slim.conv2d(net, depth, [3, 3], scope=f"conv{number}")
            net = slim.max_pool2d(net, [2, 2], scope="pool5")
            net = _classifier(net, 3072, 6, num_classes, is_training, dropout_keep_prob)
            return _ends(net, collection, opened, spatial_squeeze)


alexnet_v2.default_image_size = 224  # type: ignore[attr-defined]
overfeat.default_image_size = 231  # type: ignore[attr-defined]
