"""Loops over one variable: which are changed, and which were written for TF 2 already.

What they compute is compared in tests/rules/test_cases.py (`tf.while_loop`).
"""

import pytest

from tests.transforms import texts


def migrated(line: str) -> str:
    return texts.migrated(f"import tensorflow as tf\n{line}\n").splitlines()[-1]


@pytest.mark.parametrize(
    "line",
    [
        "y = tf.while_loop(c, b, [x])",
        "return_ = f(tf.while_loop(cond=c, body=b, loop_vars=(x,)))",
        "y = tf.while_loop(c, b, [x], maximum_iterations=3)",
        "y = tf.while_loop(c, b, [x], return_same_structure=True)[0]",
    ],
)
def test_loops_over_one_variable(line: str) -> None:
    assert migrated(line) == line.replace("tf.while_loop", "control_flow.while_loop")


@pytest.mark.parametrize(
    "line",
    [
        "y, z = tf.while_loop(c, b, [x, w])",
        "(y,) = tf.while_loop(c, b, [x])",
        "y = tf.while_loop(c, b, [x])[0]",
        "y = tf.while_loop(c, b, [[x, w]])",
        "y = tf.while_loop(c, b, variables)",
        "y = other.while_loop(c, b, [x])",
    ],
)
def test_other_loops_stay(line: str) -> None:
    assert migrated(line) == line
