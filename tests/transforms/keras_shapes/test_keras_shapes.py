"""Layers that use a shape as a TensorShape get one; those that use it as a tuple stay."""

from typing import Any

import pytest

from tests.transforms.texts import migrated

HEAD = "import tensorflow as tf\nimport shapes\n\n\nclass Dense(tf.keras.layers.Layer):\n"


@pytest.mark.parametrize(
    "body",
    [
        "    n = input_shape.as_list()[-1]",
        "    n = shapes.depth(input_shape)",
        "    for i, one in enumerate(input_shape):\n      n = shapes.depth(one)",
        "    n = [s.num_elements() for s in input_shape]",
        "    n = input_shape[0].ndims",
        "    first = input_shape[1]\n    n = [s.as_list()[-1] for s in shapes.flat(first)]",
    ],
)
def test_shapes_are_converted(body: str) -> None:
    text = f'{HEAD}  def build(self, input_shape):\n    """Makes variables."""\n{body}\n'
    new = migrated(text)
    line = "    input_shape = keras_layers.tensor_shapes(input_shape)\n"
    assert f'"""Makes variables."""\n{line}{body}\n' in new
    assert migrated(new) == new


@pytest.mark.parametrize(
    "body",
    [
        "  def build(self, input_shape):\n    self.n = int(input_shape[-1])\n    super().build(input_shape)",
        "  def build(self, input_shape):\n    self.n = len(input_shape)",
        "  def build(self, input_shape):\n    input_shape = tf.TensorShape(input_shape)\n"
        "    self.n = input_shape.ndims",
        "  def build(self, config):\n    self.n = config.rank",
        "  def make(self, input_shape):\n    self.n = input_shape.rank",
    ],
)
def test_other_methods_stay(body: str) -> None:
    assert "tensor_shapes" not in migrated(HEAD + body + "\n")


def test_nests_of_shapes() -> None:
    tf = pytest.importorskip("tensorflow")
    from templates.support import keras_layers

    shapes: Any = keras_layers.tensor_shapes([(None, 2), {"a": (3,)}, None])
    assert shapes[0].as_list() == [None, 2] and shapes[1]["a"] == tf.TensorShape([3])
    assert shapes[2] is None and keras_layers.tensor_shapes(()).rank == 0
