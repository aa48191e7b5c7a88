"""Calls of every TF 1 symbol in unusual shapes: read, rewritten once, and never again."""

from __future__ import annotations

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

SHAPES = ("(*a, b)", "(a, b, name=c)", "(a, b, c, d, e, f, g)", "(**k)", "(a, *b, **k)", "(a)")
EVERY = 12  # of about 14,000 symbols; the parts below shift where they start


def migrated(text: str) -> str:
    result = migrate_text("a.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert not result.error
    assert not [finding for finding in result.findings if finding.code == "TF000"]
    return result.new_text or text


@pytest.mark.parametrize("part", [0, 5])
def test_a_second_run_changes_no_call(part: int) -> None:
    tf1 = load_ruleset(Options()).tf1
    names = [name for name in tf1.symbols if tf1.kind(name) in ("function", "class")]
    assert len(names) > 10_000
    for name in names[part::EVERY]:
        calls = [f"v = tf{name[len('tensorflow'):]}{shape}\n" for shape in SHAPES]
        once = migrated("import tensorflow as tf\n" + "".join(calls))
        assert migrated(once) == once, name


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # what TF 1 has under the new name is another function: its reader must not take it for that
        ("tf.saved_model.load_v2(*a)", "tf.compat.v2.saved_model.load(*a)"),
        ("tf.saved_model.load_v2(path)", "tf.saved_model.load(export_dir=path)"),
        ("tf.nn.max_pool_v2(*a, b)", "tf.compat.v2.nn.max_pool(*a, b)"),
        (
            "tf.nn.max_pool_v2(x, 2, 2, 'SAME')",
            "tf.nn.max_pool(input=x, ksize=2, strides=2, padding='SAME')",
        ),
        # nothing moved, so whatever stars hide is right
        (
            "tf.contrib.cluster_resolver.SimpleClusterResolver(*a, b)",
            "tf.distribute.cluster_resolver.SimpleClusterResolver(*a, b)",
        ),
    ],
)
def test_calls_that_could_be_read_twice(before: str, after: str) -> None:
    head = "import tensorflow as tf\nv = "
    once = migrated(f"{head}{before}\n")
    assert once == f"{head}{after}\n"
    assert migrated(once) == once
