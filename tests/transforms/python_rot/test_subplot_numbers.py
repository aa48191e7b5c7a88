"""Positions of subplots become numbers where they are strings of three digits."""

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

RULES = load_ruleset(Options())
HEAD = "import matplotlib.pyplot as plt\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ax = plt.figure().add_subplot('111')", "ax = plt.figure().add_subplot(111)"),
        ("plt.subplot('231', )", "plt.subplot(231, )"),
        ("ax = fig.add_subplot(111)", "ax = fig.add_subplot(111)"),
        ("ax = fig.add_subplot('12')", "ax = fig.add_subplot('12')"),
        ("ax = fig.add_subplot(name)", "ax = fig.add_subplot(name)"),
    ],
)
def test_positions(before: str, after: str) -> None:
    result = migrate_text("m.py", HEAD + before + "\n", ProjectIndex(), Options(), RULES)
    assert (result.new_text or HEAD + before + "\n") == HEAD + after + "\n"
