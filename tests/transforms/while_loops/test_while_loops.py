"""Loops over one variable: which are changed, and which were written for TF 2 already.

What they compute is compared in tests/rules/test_cases.py (`tf.while_loop`).
"""

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

RULES = load_ruleset(Options())


def migrated(line: str) -> str:
    text = f"import tensorflow as tf\n{line}\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), RULES)
    return (result.new_text or text).splitlines()[-1]


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
