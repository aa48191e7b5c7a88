"""slim's networks have TF 1.15.5's variables, shapes and end points (recorders/nets.py)."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import alexnet, inception, resnet_v1, resnet_v2, slim, vgg
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
    "inception_v1": (inception.inception_v1, inception.inception_v1_arg_scope, 224, {}),
    "inception_v2": (inception.inception_v2, inception.inception_v2_arg_scope, 96, {}),
    "inception_v3": (inception.inception_v3, inception.inception_v3_arg_scope, 299, {}),
    "alexnet_v2": (alexnet.alexnet_v2, alexnet.alexnet_v2_arg_scope, 224, {"num_classes": 9}),
    "overfeat": (alexnet.overfeat, alexnet.overfeat_arg_scope, 231, {}),
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


def weights(name: str, shape: list[int]) -> np.ndarray:
    """Values of a variable, from its name; recorders/nets.py has the same."""
    phase = zlib.crc32(name.encode()) % 1000
    values = np.sin(np.arange(np.prod(shape)) * 0.7 + phase).reshape(shape)
    if name.endswith("moving_variance"):
        return 1.0 + 0.5 * values
    return values * np.sqrt(4.0 / np.prod(shape[:-1])) if len(shape) > 1 else 0.1 * values


@pytest.mark.parametrize("name", sorted(n for n, r in RECORDED.items() if "logits" in r))
def test_logits_with_the_same_weights(name: str) -> None:
    network, arg_scope, size, _ = CASES[name]
    images = np.sin(np.arange(size * size * 3.0)).reshape(1, size, size, 3).astype(np.float32)
    with VariableStore().as_default() as store, slim.arg_scope(arg_scope()):

        @tf.function
        def logits() -> tf.Tensor:
            return network(tf.constant(images), num_classes=6, is_training=False)[0]

        logits.get_concrete_function()
        for key, variable in store.variables_by_name.items():
            variable.assign(weights(key, variable.shape.as_list()))
        found = logits().numpy().ravel()
    np.testing.assert_allclose(found, RECORDED[name]["logits"], rtol=1e-4, atol=1e-5)


def test_sizes_of_images() -> None:
    assert vgg.vgg_16.default_image_size == vgg.vgg_d.default_image_size == 224
    assert resnet_v1.resnet_v1.default_image_size == resnet_v2.resnet_v2_50.default_image_size


def test_output_strides_that_cannot_be() -> None:
    images = tf.zeros([1, 33, 33, 3])
    with pytest.raises(ValueError, match="multiple of 4"):
        resnet_v1.resnet_v1_50(images, output_stride=6, scope="one")
