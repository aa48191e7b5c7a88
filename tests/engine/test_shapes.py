"""`tf.where` stays where its condition has no lower rank than what it chooses from."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

STAYS = [
    "tf.where(a < 1.0, 0.5 * tf.square(d), a - 0.5)",  # a is one of the branches
    "tf.where(logits < low, tf.ones_like(logits) * -1e10, logits)",
    "tf.where(tf.logical_and(tf.is_nan(d), a > 0), d, tf.zeros_like(d))",
    "tf.where(a > b, b, c)",
    "tf.where(~tf.equal(-a, b), c, tf.cast(a, tf.float32))",
    "tf.where(self.a >= 0, tf.zeros_like(self.a), c)",
]
BECOMES = [
    "tf.where(mask, a, b)",
    "tf.where(tf.reduce_max(a, 1) > 0, a, b)",  # a vector for rows
    "tf.where(a[:, 0] > 0, a, b)",
    "tf.where(a > 0, a + b, b + a)",  # the branches may be of a higher rank
    "tf.where(tf.equal(i, 0.0), c, i + a)",
    "tf.where(a == b, a, b)",
    "tf.where(f(a) > 0, a, b)",
    "tf.where(tf.less(*pair), a, b)",
    "tf.where(tf.not_equal(tf.gather(a, i), 0), a, b)",
    "tf.where(not a, a, b)",
]


def migrated(line: str) -> str:
    head = "import tensorflow as tf\n\n\ndef f(self, a, b, c, d, i, low, logits, mask, pair):\n"
    text = f"{head}    return {line}\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    new = result.new_text or text
    again = migrate_text("m.py", new, ProjectIndex(), Options(), load_ruleset(Options()))
    assert again.new_text is None
    return new


@pytest.mark.parametrize("line", STAYS)
def test_a_condition_of_no_lower_rank(line: str) -> None:
    assert "math_ops" not in migrated(line) and "return tf.where(" in migrated(line)


@pytest.mark.parametrize("line", BECOMES)
def test_a_condition_that_may_be_a_vector_for_rows(line: str) -> None:
    assert "math_ops.where(" in migrated(line)


@pytest.mark.slow
def test_both_choose_the_same_then() -> None:
    """Shapes that TF 1's kernel takes and that keep the rule: rank of the condition >= that of the branch."""
    tf = pytest.importorskip("tensorflow")
    compared = 0
    shapes = [(), (1,), (3,), (1, 3), (3, 1), (3, 3), (2, 3), (2, 1, 3)]
    random = np.random.RandomState(0)
    for condition, branch in itertools.product(shapes, shapes):
        if len(condition) < len(branch):
            continue
        chosen = random.rand(*condition) > 0.5
        x, y = random.rand(*branch), random.rand(*branch)
        try:
            old = tf.compat.v1.where(chosen, x, y)
        except (tf.errors.InvalidArgumentError, ValueError):
            continue  # TF 1 does not take it
        np.testing.assert_array_equal(old, tf.where(chosen, x, y))
        compared += 1
    assert compared >= len(shapes)
