"""Layers that programs wrote for Keras 2, and losses that keep constants (TF142, TF166)."""

from __future__ import annotations

import textwrap

import pytest

from tests.transforms.keras_calls.test_keras2 import migrated

HEAD = "import keras.backend as K\nfrom keras.layers import Layer\n\n\nclass Scaled(Layer):\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.trainable_weights = [self.a, self.b]", "keras_layers.hold(self, [self.a, self.b])"),
        ("self._trainable_weights.append(self.a)", "keras_layers.hold(self, [self.a])"),
        ("self.trainable_weights += made", "keras_layers.hold(self, made)"),
        ("self.non_trainable_weights.extend(made)", "keras_layers.hold(self, made, trainable=False)"),
        ("other.trainable_weights = [self.a]",) * 2,
        ("print(self.trainable_weights)",) * 2,
        ("self.names.append(self.a)",) * 2,
    ],
)
def test_lists_of_weights(before: str, after: str) -> None:
    text, findings = migrated(f"{HEAD}    def build(self, shape, made=(), other=None):\n        {before}\n")
    assert text.endswith(f"\n        {after}\n") and not findings
    assert ("keras_layers" in text) == ("keras_layers" in after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[(None, 1)]", "(None, 1)"),
        ("[(None, 1), (None, 2)]",) * 2,
        ("[None, 1]",) * 2,
        ("(shape[0], 3)",) * 2,
    ],
)
def test_shapes_of_one_tensor(before: str, after: str) -> None:
    text, _ = migrated(f"{HEAD}    def compute_output_shape(self, shape):\n        return {before}\n")
    assert text.endswith(f"return {after}\n")


def test_what_tensors_told_of_their_shape() -> None:
    text, findings = migrated(f"{HEAD}    def call(self, x):\n        return x[0]._keras_shape[1:]\n")
    assert "return tuple(x[0].shape)[1:]\n" in text and not findings
    _, findings = migrated(f"{HEAD}    def call(self, x):\n        x._keras_shape = (None, 3)\n")
    assert findings == ["TF142"]


def test_constants_of_what_an_attribute_was() -> None:
    body = textwrap.dedent("""

        class Loss:
            def __init__(self, rate):
                self.rate = tf.constant(rate)

            def compute(self, wanted, found):
                self.rate = tf.constant(self.rate)
                self.least = tf.constant(self.least, tf.int32)  # of them
                self.other = tf.constant(3)
                return self.rate * found
    """)
    text, findings = migrated(f"import tensorflow as tf\nfrom tensorflow import keras\n{body}keras\n")
    assert textwrap.indent(textwrap.dedent("""
        with tf.init_scope():
            self.rate = tf.constant(self.rate)
            self.least = tf.constant(self.least, tf.int32)  # of them
        self.other = tf.constant(3)
    """), " " * 8) in text
    assert not findings
    without = f"import tensorflow as tf\n{body}"
    assert migrated(without)[0] == without


def test_inputs_behind_a_star() -> None:
    call = "    def call(self, *args, **kw):\n        return super().call(*args, training=False, **kw)\n"
    text, findings = migrated(HEAD + call)
    assert not findings and text.endswith(call.replace("*args", "inputs, *args"))
    call = "    def call(self, *args):\n        return args[0] + K.sum(args[1])\n"
    text, findings = migrated(HEAD + call)
    assert findings == ["TF142"] and call in text
