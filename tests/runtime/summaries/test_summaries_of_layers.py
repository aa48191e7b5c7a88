"""Summaries of layers have the tags and the numbers that TF 1.15 gave them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import (
    contrib_layers,
    debugging,
    graph_summaries,
    graphs,
    input_queues,
    layers,
    scopes,
    slim,
)


def test_what_an_activation_cut_off() -> None:
    """Recorded: TF 1.15.5 gave `net/net/act/zeros` 0.5, `sixes` 0.25 and a histogram of four values."""
    with tf.Graph().as_default():
        with tf.name_scope("net"):
            y = tf.nn.relu6(tf.constant([-1.0, -2.0, 3.0, 7.0]), name="act")
            made = contrib_layers.summarize_activation(y)
        assert made is not None
        merged = graph_summaries.merge(scopes.get_collection("summaries"))
        with tf.compat.v1.Session() as session:
            found: Any = tf.compat.v1.Summary.FromString(session.run(merged))
    values = {v.tag: v for v in found.value}
    assert values["net/net/act/zeros"].simple_value == 0.5
    assert values["net/net/act/sixes"].simple_value == 0.25
    assert values["net/net/act/activation"].histo.num == 4


@pytest.mark.parametrize("value", [True, "text", np.array([False])])
def test_texts_and_truths_are_not_summarized(value: Any) -> None:
    assert contrib_layers.summarize_tensor(tf.constant(value)) is None


@graphs.building
def made_below(scope: str) -> tf.Tensor:
    before = len(scopes.get_collection("summaries"))
    with tf.name_scope(scope):
        input_queues.string_input_producer(["a", "b"])
    return scopes.get_collection("summaries")[before]


def test_how_full_a_queue_is_stands_below_its_producer() -> None:
    """Recorded: TF 1.15.5 gave `X/input_producer/fraction_of_32_full`."""
    tag = tf.get_static_value(made_below("X").op.inputs[0])
    assert tag == b"X/input_producer/fraction_of_32_full"


@graphs.building
def named() -> list[str]:
    x = tf.zeros([2, 8, 8, 3])
    made = [
        slim.max_pool2d(x, 2, scope="a"), slim.avg_pool2d(x, 2, scope="b"), slim.pool(x, 2, "MAX", scope="c"),
        layers.max_pooling2d(x, 2, 2, name="d"), layers.average_pooling2d(x, 2, 2, name="e"),
        layers.conv2d(x, 3, 2, name="f"), slim.softmax(x, scope="g"), slim.flatten(x, scope="h"),
    ]  # fmt: skip
    return [tensor.op.name for tensor in made]


def test_operations_of_layers_are_called_as_in_tensorflow_1() -> None:
    """As recorded: summaries have their tags from them, and frozen graphs are asked for them."""
    assert named() == [
        "a/MaxPool", "b/AvgPool", "c", "d/MaxPool", "e/AvgPool", "f/BiasAdd", "g/Reshape_1",
        "h/flatten/Reshape",
    ]  # fmt: skip


@graphs.building
def printed() -> tuple[str, bool, list[float]]:
    before = scopes.global_variables()
    x = tf.constant([1.0, 2.0])
    y = debugging.Print(x, [tf.shape(x), x], "the values: ", first_n=2)
    run = graphs.function([], tf.gradients(y * y, x)[0])
    return y.op.name, len(scopes.global_variables()) == len(before), [float(run()[1]) for _ in range(4)]


def test_what_prints_the_first_times_makes_no_variable(capfd: pytest.CaptureFixture[str]) -> None:
    """A checkpoint of TensorFlow 1 has none of it."""
    assert printed() == ("Print", True, [4.0] * 4)
    assert capfd.readouterr().err.count("the values: [2][1 2]") == 2
