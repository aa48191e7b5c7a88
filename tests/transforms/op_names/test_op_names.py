"""`x.op.name` becomes a call that also works on eager variables."""

from typing import Any

import pytest

from migrator.analysis.facts import load_facts
from migrator.analysis.index import ModuleSummary, ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from tests.transforms import texts
from tests.transforms.texts import RULES


def migrated(body: str) -> str:
    return texts.migrated("import tensorflow as tf\n" + body + "\n")


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


def test_a_tensor_that_is_asked_for_its_name_gets_it() -> None:
    before = (
        "import tensorflow as tf\n\n\n"
        "def f(x):\n"
        "    y = tf.multiply(x, 2.0,\n                    name='y')\n"
        "    z = tf.add(x, 1.0, name='z')\n"
        "    return {y.op.name: y, 'z': z}\n"
    )
    new = migrate_text("m.py", before, ProjectIndex(), Options(), RULES).new_text
    assert new is not None
    assert "y = names.named(tf.multiply(x, 2.0,\n                                name='y'), 'y')" in new
    assert "z = tf.add(x, 1.0, name='z')" in new
    assert migrate_text("m.py", new, ProjectIndex(), Options(), RULES).new_text is None
    tf = pytest.importorskip("tensorflow")
    assert tf
    space: dict[str, Any] = {}
    exec(compile(new.replace("tf1_support", "templates.support"), "m.py", "exec"), space)
    with tf.name_scope("loss"):
        assert list(space["f"](tf.constant(1.0))) == ["loss/y", "z"]


def test_results_of_functions_that_another_module_asks() -> None:
    texts = {
        "pkg/__init__.py": "",
        "pkg/rates.py": (
            "import tensorflow as tf\n\n\n"
            "def rate(step):\n    return tf.maximum(step, 1, name='rate')\n\n\n"
            "def other(step):\n    return tf.maximum(step, 1, name='rate')\n"
        ),
        "pkg/use.py": (
            "import tensorflow as tf\nfrom pkg import rates\n\n\n"
            "def check():\n    r = rates.rate(tf.constant(3))\n    assert r.op.name == 'rate'\n"
        ),
    }
    facts = load_facts()
    index = ProjectIndex.assemble(
        {path: ModuleSummary.of(path, text, facts) for path, text in texts.items()}
    )
    new = migrate_text("pkg/rates.py", texts["pkg/rates.py"], index, Options(), RULES).new_text
    assert new is not None and new.count("names.named(") == 1
    assert "def rate(step):\n    return names.named(" in new
