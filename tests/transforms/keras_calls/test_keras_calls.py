"""Applications of other layers keep them; Inputs of placeholders say the shape themselves."""

from typing import Any

import pytest

from tests.transforms.texts import migrated

HEAD = "import tensorflow as tf\n\n\n"


def test_applications_of_other_layers() -> None:
    new = migrated(HEAD + "m = tf.keras.applications.MobileNet(\n    alpha=a, layers=mine, **kw)\n")
    assert (
        "m = keras_applications.build(tf.keras.applications.MobileNet,\n    alpha=a, layers=mine, **kw)"
        in new
    )
    assert migrated(new) == new
    text = HEAD + "m = tf.keras.applications.MobileNet(alpha=a, **kw)\n"
    assert migrated(text) == text


def test_inputs_of_placeholders() -> None:
    text = (
        HEAD + "def f(size):\n  zeros = tf.zeros([1] + size)\n"
        "  p = tf.placeholder_with_default(\n      input=zeros, shape=[None] + size)\n"
        "  return tf.keras.layers.Input(tensor=p)\n\n\n"
        "def g():\n  p = tf.placeholder(tf.float32, (None, 3))\n  return tf.keras.Input(tensor=p)\n"
    )
    assert migrated(text) == (
        HEAD + "def f(size):\n  zeros = tf.zeros([1] + size)\n"
        "  return tf.keras.layers.Input(batch_shape=[None] + size, dtype=zeros.dtype.name)\n\n\n"
        "def g():\n  return tf.keras.Input(batch_shape=(None, 3), dtype=tf.float32)\n"
    )


def test_placeholders_with_other_uses_stay() -> None:
    text = HEAD + (
        "def g():\n  p = tf.placeholder(tf.float32, (None, 3))\n"
        "  return tf.keras.Input(tensor=p), p\n"
    )
    assert "Input(tensor=p), p" in migrated(text)


def test_the_network_is_built_of_the_given_layers() -> None:
    tf = pytest.importorskip("tensorflow")
    from templates.support import keras_applications

    made: list[str] = []

    class Mine:
        def __getattr__(self, name: str) -> Any:
            made.append(name)
            return getattr(tf.keras.layers, name)

    network = tf.keras.applications.MobileNet
    model = keras_applications.build(
        network, layers=Mine(), weights=None, include_top=False, input_shape=(32, 32, 3), alpha=0.25
    )
    assert made.count("DepthwiseConv2D") == 13 and "Input" in made
    assert model.get_layer("conv_pw_13_relu") is not None
    seen = len(made)
    network(weights=None, include_top=False, input_shape=(32, 32, 3), alpha=0.25)
    assert len(made) == seen, "the application itself is as it was"
    with pytest.raises(TypeError, match="not a function"):
        keras_applications.build(tf.keras.Model)
