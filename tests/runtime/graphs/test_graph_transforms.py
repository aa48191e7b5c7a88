"""Rewrites of a GraphDef: the nodes and inputs that TF 1.15.5's tool gave for the same graph."""
from typing import Any

import pytest
import tensorflow as tf
from tf1_support import graph_transforms

Node = tuple[str, str, list[str]]  # name, op, inputs
ADD: Node = ("add", "AddV2", ["x", "add/y"])
HALF: Node = ("z/y", "Const", [])
FEED: Node = ("x", "Placeholder", [])
ONE: Node = ("add/y", "Const", [])


def graph_def() -> Any:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        y = tf.identity(tf.identity(x + 1.0, name="i1"), name="i2")
        z = tf.multiply(y, 2.0, name="z")
        tf.square(x, name="dead")
        with tf.control_dependencies([y]):
            tf.negative(z, name="w")
    return graph.as_graph_def()


def nodes(graph: Any) -> list[tuple[str, str, list[str]]]:
    return [(node.name, node.op, list(node.input)) for node in graph.node]


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("strip_unused_nodes",
         [FEED, ONE, ADD, ("i1", "Identity", ["add"]), ("i2", "Identity", ["i1"]), HALF,
          ("z", "Mul", ["i2", "z/y"]), ("w", "Neg", ["z", "^i2"])]),
        ("remove_nodes(op=Identity)",
         [FEED, ONE, ADD, HALF, ("z", "Mul", ["add", "z/y"]), ("dead", "Square", ["x"]),
          ("w", "Neg", ["z", "^add"])]),
    ],
)  # fmt: skip
def test_as_in_tf1(transform: str, expected: Any) -> None:
    before = graph_def()
    got = graph_transforms.TransformGraph(before, ["x"], ["w"], [transform])
    assert nodes(got) == expected and nodes(before) == nodes(graph_def())


def test_inputs_inside_of_the_graph_become_placeholders() -> None:
    got = graph_transforms.TransformGraph(
        graph_def(), ["i1"], ["w:0"], ['strip_unused_nodes(type=half, shape="4,5")'])
    first = got.node[0]
    assert [node.name for node in got.node] == ["i1", "i2", "z/y", "z", "w"]
    assert (first.op, tf.as_dtype(first.attr["dtype"].type)) == ("Placeholder", tf.float16)
    assert [size.size for size in first.attr["shape"].shape.dim] == [4, 5]


def test_order_and_attributes() -> None:
    before = graph_def()
    before.node.sort(key=lambda node: node.name)
    got = graph_transforms.TransformGraph(
        before, ["x"], ["w"],
        ["sort_by_execution_order", "remove_attribute(attribute_name=T, op_name=Mul)"])
    seen: set[str] = set()
    for name, _, inputs in nodes(got):
        assert {i.lstrip("^").split(":")[0] for i in inputs} <= seen
        seen.add(name)
    assert {node.name for node in got.node if "T" not in node.attr} == {"x", "add/y", "z/y", "z"}


def test_unknown_transforms_are_refused() -> None:
    with pytest.raises(ValueError, match="fold_constants.*strip_unused_nodes"):
        graph_transforms.TransformGraph(graph_def(), ["x"], ["w"], ["fold_constants"])
    with pytest.raises(ValueError, match="at least one op"):
        graph_transforms.TransformGraph(graph_def(), ["x"], ["w"], ["remove_nodes"])
