"""Patterns of operation types; what they find is what TF 1.15.5's matcher found."""
import pytest
import tensorflow as tf
from tf1_support.graph_matcher import GraphMatcher, OneofPattern, OpTypePattern


def graph():
    with tf.Graph().as_default() as made:
        x = tf.compat.v1.placeholder(tf.float32, [2, 4], name="x")
        left, right = tf.split(x, 2, axis=1, name="halves")
        tf.add(tf.nn.relu(right, name="r1"), tf.multiply(left, 2.0, name="m1"), name="first")
        tf.add(tf.nn.relu6(left, name="r2"), tf.square(right, name="s2"), name="second")
    return made


def test_types_alternatives_and_names():
    relu = OpTypePattern("Relu|Relu6", name="relu", inputs=["Split"])
    adds = OpTypePattern("Add|AddV2", inputs=[relu, "*"])
    found = list(GraphMatcher(adds).match_graph(graph()))
    assert [match.get_op(adds).name for match in found] == ["first", "second"]
    assert [match.get_op("relu").name for match in found] == ["r1", "r2"]
    assert [match.get_tensor("relu").name for match in found] == ["r1:0", "r2:0"]
    assert found[0].get_tensor(adds) is None and found[0].get_op("other") is None
    with pytest.raises(ValueError, match="Expect Pattern or str"):
        found[0].get_op(3)


def test_order_and_one_of_several():
    product = OpTypePattern("Mul", inputs=["Const", "Split"], ordered_inputs=False)
    either = OneofPattern([product, OpTypePattern("Square")])
    split = OpTypePattern("Split")
    in_order = OpTypePattern("AddV2", inputs=[either, OpTypePattern("Relu*|Relu", inputs=[split])])
    any_order = OpTypePattern("AddV2", inputs=[either, "*"], ordered_inputs=False)
    assert not list(GraphMatcher(in_order).match_graph(graph()))
    found = list(GraphMatcher(any_order).match_graph(graph()))
    assert [match.get_op(any_order).name for match in found] == ["first", "second"]
    assert found[0].get_op(product).name == "m1" and found[1].get_op(product) is None


def test_the_tensor_that_was_read_and_its_refusals():
    split = OpTypePattern("Split", name="split")
    matcher = GraphMatcher(OpTypePattern("Relu", inputs=[split]))
    operation = graph().get_operation_by_name("r1")
    assert matcher.match_op(operation).get_tensor("split").name == "halves:1"
    assert matcher.match_op(operation.inputs[0].op) is None
    twice = OpTypePattern("AddV2", inputs=[OpTypePattern("*", name="n"), OpTypePattern("*", name="n")])
    with pytest.raises(ValueError, match="Only < 8"):
        OpTypePattern("Pack", inputs=["*"] * 9, ordered_inputs=False)
    assert GraphMatcher(twice).match_op(operation) is None
