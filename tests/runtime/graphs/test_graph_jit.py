"""Functions of a graph under XLA: compiled where XLA can, and said where it cannot."""
import logging

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import graphs, scopes

ROWS = np.array([[1.0, 2.0], [3.0, 0.0]], np.float32)


def test_a_step_is_compiled_and_computes_the_same():
    found = []
    for jit in (False, True):
        graph = graphs.Graph()
        with graph.as_default():
            x = graphs.placeholder(tf.float32, [None, 2])
            weight = scopes.get_variable("w", [2, 1], initializer=tf.compat.v1.ones_initializer())
            loss = tf.reduce_sum(tf.tanh(tf.matmul(x, weight)))
            change = weight.assign_add([[0.5], [0.25]])
            step = graphs.function([x], [loss, change], jit_compile=jit)
        assert step.compiled is jit
        found.append([step(ROWS), step(ROWS)])
        assert step.compiled is jit
        told = step.traced.get_concrete_function().function_def.attr
        assert ("_XlaMustCompile" in told and told["_XlaMustCompile"].b) is jit
    for plain, compiled in zip(*found, strict=True):
        for a, b in zip(plain, compiled, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)
    assert not np.array_equal(found[0][0][1], found[0][1][1])


def test_what_xla_refuses_runs_without_it_once_and_is_told(caplog):
    graph = graphs.Graph()
    with graph.as_default():
        x = graphs.placeholder(tf.float32, [None])
        count = scopes.get_variable("count", [], initializer=tf.compat.v1.zeros_initializer())
        result = tf.strings.length(tf.strings.as_string(tf.reduce_sum(x)))
        step = graphs.function([x], [result, count.assign_add(1.0)], jit_compile=True)
    with caplog.at_level(logging.WARNING):
        first = step(np.array([3.0, 4.0], np.float32))
        again = step(np.array([3.0, 4.0], np.float32))
    assert (first[1], again[1]) == (1.0, 2.0)  # it happened once a call
    assert first[0] == 8
    told = [r for r in caplog.records if "not compiled by XLA" in r.getMessage()]
    assert len(told) == 1 and not step.compiled


def test_what_xla_cannot_convert_for_another_reason_runs_without_it_too(caplog):
    graph = graphs.Graph()
    with graph.as_default():
        x = graphs.placeholder(tf.float32, [None])
        grown = tf.while_loop(lambda a: tf.shape(a)[0] < 6, lambda a: [tf.concat([a, x], 0)], [x],
                              shape_invariants=[tf.TensorShape([None])])
        step = graphs.function([x], tf.nest.flatten(grown)[0], jit_compile=True)
    with caplog.at_level(logging.WARNING):
        np.testing.assert_array_equal(step([1.0, 2.0]), [1.0, 2.0] * 3)
    (told,) = [r.getMessage() for r in caplog.records if "not compiled by XLA" in r.getMessage()]
    assert "do not match" in told and "\n" not in told and not step.compiled


@pytest.mark.parametrize("text", ["takes", "gives"])
def test_strings_are_never_compiled(text, caplog):
    graph = graphs.Graph()
    with graph.as_default(), caplog.at_level(logging.WARNING):
        x = graphs.placeholder(tf.string if text == "takes" else tf.float32, [None])
        y = tf.strings.length(x) if text == "takes" else tf.strings.as_string(x)
        step = graphs.function([x], y, jit_compile=True)
        assert not step.compiled
    told = [r for r in caplog.records if "XLA has no strings" in r.getMessage()]
    assert len(told) == 1
    assert list(step(["abc"] if text == "takes" else [1.5])) == ([3] if text == "takes" else [b"1.500000"])


def test_other_errors_stay_errors():
    graph = graphs.Graph()
    with graph.as_default():
        x = graphs.placeholder(tf.float32, [None])
        step = graphs.function([x], tf.debugging.check_numerics(x, "not finite"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
        step(np.array([np.nan], np.float32))
