"""Direct calls give what the function itself gives, happen once, and stand back where they cannot."""
import numpy as np
import pytest
import tensorflow as tf
from tf1_support import direct_calls

from tests import forks
from tests.runtime.importable import PROGRAM_HEAD

FLOATS = tf.TensorSpec([None], tf.float32)


def concrete(body, *specs, **options):
    return tf.function(body, autograph=False, **options).get_concrete_function(*specs)


@pytest.mark.parametrize("body", [
    lambda x: x + 1, lambda x: [x + 1, x * 2], lambda x: (x + 1,), lambda x: [None, x, None],
    lambda x: [None], lambda x: None, lambda x: [],
])  # fmt: skip
def test_the_same_results_in_the_same_form(body):
    function = concrete(body, FLOATS)
    direct = direct_calls.direct(function)
    assert direct is not function
    given = tf.constant([1.0, 2.0])
    wanted, found = function(given), direct(given)
    assert type(found) is type(wanted)
    for a, b in zip(tf.nest.flatten(wanted), tf.nest.flatten(found), strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_what_it_does_happens_once_each_call():
    held = [tf.Variable(0.0), tf.Variable(5.0)]

    def body(x):
        held[0].assign_add(x)
        held[1].assign_sub(x)
        return [None, held[0].read_value()]

    direct = direct_calls.direct(concrete(body, tf.TensorSpec([], tf.float32)))
    assert [float(direct(tf.constant(2.0))[1]) for _ in range(3)] == [2.0, 4.0, 6.0]
    assert held[1].numpy() == -1.0


def test_strings_and_numbers_of_other_types():
    direct = direct_calls.direct(concrete(
        lambda s, n: [tf.strings.join([s, s]), n // 2, tf.cast(n, tf.bool)],
        tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int64)))  # fmt: skip
    text, half, true = direct(tf.constant("ab"), tf.constant(7, tf.int64))
    assert text.numpy() == b"abab" and half.numpy() == 3 and bool(true)


def test_errors_are_those_of_the_function():
    direct = direct_calls.direct(concrete(
        lambda x: tf.debugging.check_numerics(x, "not finite"), FLOATS))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
        direct(tf.constant([np.nan]))


def test_a_device_that_is_not_here_is_soft():
    def body(x):
        with tf.device("/gpu:0"):
            return x * 2.0

    direct = direct_calls.direct(concrete(body, FLOATS))
    assert direct(tf.constant([1.0])).numpy() == [2.0]


def test_draws_go_on():
    tf.random.set_seed(3)
    direct = direct_calls.direct(concrete(lambda: tf.random.uniform([4], seed=1)))
    first, second = direct().numpy(), direct().numpy()
    assert not np.array_equal(first, second)


def test_it_keeps_the_function_alive():
    held = tf.Variable(1.0)
    direct = direct_calls.direct(concrete(lambda: held + 1.0))
    assert direct().numpy() == 2.0


def test_where_it_would_be_something_else_it_is_the_function_itself():
    composite = concrete(lambda x: [tf.IndexedSlices(x, tf.constant([0]))], FLOATS)
    assert direct_calls.direct(composite) is composite
    compiled = concrete(lambda x: x + 1, FLOATS, jit_compile=True)
    assert direct_calls.direct(compiled) is compiled
    named = concrete(lambda x: {"a": x}, FLOATS)
    assert direct_calls.direct(named) is named
    values = iter([1.0, 2.0])

    def late():
        graph = tf.compat.v1.get_default_graph()
        return graph.capture_call_time_value(
            lambda: tf.constant(next(values)), tf.TensorSpec([], tf.float32))

    asked = concrete(lambda: late() * 10.0)
    direct = direct_calls.direct(asked)
    assert direct is asked and [float(direct()), float(direct())] == [10.0, 20.0]


def test_functions_that_run_eagerly_do():
    direct = direct_calls.direct(concrete(lambda x: x + 1, FLOATS))
    tf.config.run_functions_eagerly(True)
    try:
        assert direct(tf.constant([1.0])).numpy() == [2.0]
    finally:
        tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize("setting", [
    "tf.config.optimizer.set_jit('autoclustering')",
    "tf.config.optimizer.set_experimental_options({'layout_optimizer': False})",
])  # fmt: skip
def test_settings_of_the_optimizer_stay(setting):
    program = PROGRAM_HEAD + f"""
import tensorflow as tf
from tf1_support import direct_calls
function = tf.function(lambda: tf.constant(1.0)).get_concrete_function()
assert direct_calls.direct(function) is not function
{setting}
assert direct_calls.direct(function) is function
"""
    ran = forks.run_tensorflow(["-c", program])
    assert ran.returncode == 0, ran.stderr[-2000:]
