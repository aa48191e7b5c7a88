"""slim's networks have TF 1.15.5's variables, shapes and end points (recorders/nets.py)."""

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from tf1_support import resnet_v1, resnet_v2, slim, vgg
from tf1_support.store import VariableStore

RECORDED = json.loads((Path(__file__).with_name("fixtures") / "nets.json").read_text())
CASES: dict[str, Any] = {
    "vgg_a": (vgg.vgg_a, vgg.vgg_arg_scope, 224, {}),
    "vgg_16": (vgg.vgg_16, vgg.vgg_arg_scope, 256, {"spatial_squeeze": False}),
    "vgg_19": (vgg.vgg_19, vgg.vgg_arg_scope, 224, {"num_classes": 7}),
    "resnet_v1_50": (resnet_v1.resnet_v1_50, resnet_v1.resnet_arg_scope, 65,
                     {"output_stride": 16, "global_pool": False, "is_training": False}),
    "resnet_v1_101": (resnet_v1.resnet_v1_101, resnet_v1.resnet_arg_scope, 64, {}),
    "resnet_v2_50": (resnet_v2.resnet_v2_50, resnet_v2.resnet_arg_scope, 64, {"num_classes": 5}),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_networks(name: str) -> None:
    """Built in a graph, so that the weights take no memory."""
    network, arg_scope, size, kwargs = CASES[name]
    with (
        tf.Graph().as_default(), VariableStore().as_default() as store,
        slim.arg_scope(arg_scope()),
    ):  # fmt: skip
        net, ends = network(tf.zeros([2, size, size, 3]), **kwargs)
        variables = {key: list(v.shape) for key, v in store.variables_by_name.items()}
    assert net.shape.as_list() == RECORDED[name]["net"]
    assert variables == RECORDED[name]["variables"]
    assert {k: v.shape.as_list() for k, v in ends.items()} == RECORDED[name]["ends"]


def test_sizes_of_images() -> None:
    assert vgg.vgg_16.default_image_size == vgg.vgg_d.default_image_size == 224
    assert resnet_v1.resnet_v1.default_image_size == resnet_v2.resnet_v2_50.default_image_size


def test_output_strides_that_cannot_be() -> None:
    images = tf.zeros([1, 33, 33, 3])
    with pytest.raises(ValueError, match="multiple of 4"):
        resnet_v1.resnet_v1_50(images, output_stride=6, scope="one")
