"""Parts of one graph as functions: each runs what is behind it alone, with the values it needs."""

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import graph_parts, graphs, scopes, slim


def test_only_what_is_behind_a_part_happens() -> None:
    happened: list[str] = []

    def noted(name: str, value: tf.Tensor) -> tf.Tensor:
        def note(array: np.ndarray) -> np.ndarray:
            happened.append(name)
            return array
        return tf.numpy_function(note, [value], tf.float32)

    def build(x: tf.Tensor, y: tf.Tensor) -> tuple[object, ...]:
        bias = scopes.get_variable("graph_parts_bias", initializer=tf.constant(1.0))
        return noted("sum", x + y + bias), {"double": noted("double", 2.0 * x)}

    spec = tf.TensorSpec([None], tf.float32)
    add, double = graph_parts.separate(build, [spec, spec])
    assert double(x=np.array([3, 4]))["double"].numpy().tolist() == [6.0, 8.0]
    assert happened == ["double"]
    assert add(x=[1.0], y=[2.0]).numpy().tolist() == [4.0]
    assert happened == ["double", "sum"]
    assert {"PyFunc"} <= {op.type for op in add.graph.get_operations()}
    with pytest.raises(TypeError, match="no parameter z"):
        add(z=1.0)
    with pytest.raises(TypeError, match="y is needed"):
        add(x=[1.0])


def test_two_layers_that_share_averages_both_move_them() -> None:
    """Each update reads what the one before has left; in TF 1 one of the two could be lost."""
    rows = np.array([[2.0, 6.0], [4.0, 2.0]], np.float32)
    with graphs.Graph().as_default() as graph:
        x = graphs.placeholder(tf.float32, [2, 2])
        outputs = []
        for reuse in (False, True):
            with scopes.variable_scope("shared", reuse=reuse):
                outputs.append(slim.batch_norm(x, decay=0.5, updates_collections=None, is_training=True))
        step = graphs.function([x], outputs)
        mean = next(v for v in graph.get_collection("variables") if "moving_mean" in v.name)
        step(rows)
        np.testing.assert_allclose(graphs.run(mean), 0.75 * rows.mean(0))
