"""slim's networks have TF 1.15.5's variables, shapes and end points (recorded/networks.py)."""

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import alexnet, inception, initializers, resnet_v1, resnet_v2, slim, vgg
from tf1_support.store import VariableStore

from tests.runtime.recorded import files, networks

RECORDED = files.facts("networks")
MODULES = {"alexnet": alexnet, "overfeat": alexnet, "inception": inception,
           "resnet_v1": resnet_v1, "resnet_v2": resnet_v2, "vgg": vgg}


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_networks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the weights begin with is not compared here, and 100 million of them are not drawn."""
    monkeypatch.setattr(initializers, "drawn", lambda op, shape, *_: tf.zeros(shape))
    network, arg_scope, size, kwargs = networks.network(MODULES, name)
    with (
        tf.Graph().as_default(), VariableStore().as_default() as store,
        slim.arg_scope(arg_scope()),
    ):  # fmt: skip
        net, ends = network(tf.zeros([2, size, size, 3]), **kwargs)
        variables = {key: list(v.shape) for key, v in store.variables_by_name.items()}
    assert net.shape.as_list() == RECORDED[name]["net"]
    assert variables == RECORDED[name]["variables"]
    assert {k: v.shape.as_list() for k, v in ends.items()} == RECORDED[name]["ends"]


@pytest.mark.parametrize("name", networks.WITH_LOGITS)
def test_logits_with_the_same_weights(name: str) -> None:
    network, arg_scope, size, _ = networks.network(MODULES, name)
    with VariableStore().as_default() as store, slim.arg_scope(arg_scope()):

        @tf.function
        def logits() -> tf.Tensor:
            return network(tf.constant(networks.images(size)), num_classes=6, is_training=False)[0]

        logits.get_concrete_function()
        for key, variable in store.variables_by_name.items():
            variable.assign(networks.weights(key, variable.shape.as_list()))
        found = logits().numpy().ravel()
    np.testing.assert_allclose(found, RECORDED[name]["logits"], rtol=1e-4, atol=1e-5)


def test_sizes_of_images() -> None:
    assert vgg.vgg_16.default_image_size == vgg.vgg_d.default_image_size == 224
    assert resnet_v1.resnet_v1.default_image_size == resnet_v2.resnet_v2_50.default_image_size


def test_output_strides_that_cannot_be() -> None:
    images = tf.zeros([1, 33, 33, 3])
    with pytest.raises(ValueError, match="multiple of 4"):
        resnet_v1.resnet_v1_50(images, output_stride=6, scope="one")
