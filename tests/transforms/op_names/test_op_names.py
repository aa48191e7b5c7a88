"""`x.op.name` becomes a call that also works on eager variables."""

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

RULES = load_ruleset(Options())


def migrated(body: str) -> str:
    text = "import tensorflow as tf\n" + body + "\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), RULES)
    return result.new_text if result.new_text is not None else text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("n = v.op.name", "n = names.op_name(v)"),
        ("n = f(x).op.name + v.op.name", "n = names.op_name(f(x)) + names.op_name(v)"),
        ("n = {v.op.name: v for v in vs}  # é", "n = {names.op_name(v): v for v in vs}  # é"),
        ("é = 'é', v.op.name.split('/')", "é = 'é', names.op_name(v).split('/')"),
    ],
)
def test_reads_become_calls(before: str, after: str) -> None:
    new = migrated(before)
    assert after in new.splitlines() and "from tf1_support import names" in new
    assert migrated(new.removeprefix("import tensorflow as tf\n").rstrip("\n")).count("op_name(") == (
        after.count("op_name(")
    )


@pytest.mark.parametrize("body", ["n = v.op.type", "n = v.name", "v.op.name = 'x'", "n = op.name"])
def test_other_attributes_stay(body: str) -> None:
    assert body in migrated(body).splitlines()


def test_every_kind_of_value() -> None:
    tf = pytest.importorskip("tensorflow")
    from templates.support import names

    assert names.op_name(tf.Variable(1.0, name="scope/w")) == "scope/w"
    with tf.Graph().as_default():
        assert names.op_name(tf.identity(1.0, name="y")) == "y"
    with pytest.raises(AttributeError, match="no name in TF 2"):
        names.op_name(tf.constant(1.0))
