"""One file through all stages: isolation, Python 2, transforms, positions."""

from __future__ import annotations

import ast
import gc

import libcst as cst
import pytest

from migrator.engine.context import FileContext
from migrator.model import Rung, Status
from tests.engine.helpers import migrate, with_transforms

HEAD = "import tensorflow as tf\n"


def test_a_syntax_error_fails_that_file_with_its_line() -> None:
    result = migrate(HEAD + "x = tf.log(\n\ny = = 2\n")
    assert result.status is Status.FAILED and result.new_text is None
    assert result.error.startswith("a.py:4: ") or result.error.startswith("a.py:2: ")
    assert [f.code for f in result.findings] == ["TF002"]


def test_python2_is_translated_first() -> None:
    text = (
        "import tensorflow as tf\n"
        "def f(d):\n  print 'a', tf.log(1)\n  try:\n    pass\n  except ValueError, e:\n"
        "    print >>out, e\n  for k, v in d.iteritems():\n    exec 'x'\n  return `d`, 0777\n"
    )
    result = migrate(text)
    assert result.status is Status.CHANGED, result.error
    assert result.new_text is not None
    ast.parse(result.new_text)
    for part in ("print('a', tf.math.log(1))", "except ValueError as e:", "file=out", "0o777"):
        assert part in result.new_text
    assert {c.code for c in result.changes} == {"PY101", "TF101"}
    assert next(c for c in result.changes if c.code == "TF101").line == 3
    assert migrate(result.new_text).new_text is None


def test_mixed_tabs_of_python2() -> None:
    result = migrate("def f():\n        print 'a'\n\tprint 'b'\n")
    assert result.new_text == "def f():\n        print('a')\n        print('b')\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('print("%d" % n)\n', 'print("%d" % n)\n'),
        ('print (" é %d" %\n       n)\n', 'print(" é %d" %\n       n)\n'),
        ('print ("a").upper()\n', 'print(("a").upper())\n'),
        ("print (1, 2)\n", "print((1, 2))\n"),
        ("def f():\n    print (yield 1)\n", "def f():\n    print((yield 1))\n"),
        ("print (x for x in y)\n", "print((x for x in y))\n"),
    ],
)
def test_what_stood_in_brackets_of_python2_gets_no_more(before: str, after: str) -> None:
    assert migrate(f"print 'a'\n{before}").new_text == f"print('a')\n{after}"


def test_deep_expressions_fail_alone() -> None:
    result = migrate(HEAD + "x = " + "+".join(["tf.log(1)"] * 20000) + "\n")
    assert result.status is Status.FAILED or result.new_text is not None
    if result.status is Status.FAILED:
        assert "nested too deeply" in result.error or "internal" not in result.error


def test_garbage_collection_comes_back() -> None:
    migrate(HEAD + "x = tf.log(1)\n")
    assert gc.isenabled()


class Renamer:
    """A transform that renames a function of the file and reports where."""

    name = "renamer"
    triggers = frozenset({"tensorflow.Session"})
    order = 1

    def run(self, ctx: FileContext) -> cst.Module | str | None:
        seen = ctx

        class Visitor(cst.CSTTransformer):
            def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
                if seen.resolve(original_node.func) == "tensorflow.Session().run":
                    seen.change("TF301", original_node, "a run")
                    expression = cst.parse_expression(f"{seen.support('testing.evaluate')}(1)")
                    assert isinstance(expression, cst.Call)
                    return expression
                return updated_node

        return ctx.module.visit(Visitor())


class Broken(Renamer):
    name = "broken"
    order = 2

    def run(self, ctx: FileContext) -> cst.Module | str | None:
        ctx.change("TF399", 1, "must not be seen")
        raise ValueError("a bug")


class BadText(Renamer):
    name = "bad text"
    order = 3

    def run(self, ctx: FileContext) -> cst.Module | str | None:
        ctx.change("TF398", 1, "must not be seen")
        return ctx.text + "def (\n"


PROGRAM = HEAD + "\n\ndef f(x):\n  sess = tf.Session()\n  y = sess.run(x)\n  return tf.log(y)\n"


@pytest.mark.parametrize("others", [(), (Broken(),), (BadText(),), (Broken(), BadText())])
def test_transforms_work_and_fail_alone(others: tuple[Renamer, ...]) -> None:
    result = migrate(PROGRAM, registry=with_transforms(Renamer(), *others))
    assert result.new_text == (
        HEAD + "from tf1_support import testing\n\n\ndef f(x):\n  sess = tf.compat.v1.Session()\n"
        "  y = testing.evaluate(1)\n  return tf.math.log(y)\n"
    )
    lines = {c.code: c.line for c in result.changes}
    assert lines == {"TF301": 6, "TF005": 5, "TF101": 7}
    assert sorted(f.message.split(" was")[0] for f in result.findings if f.code == "TF000") == sorted(
        f"the transform {other.name}" for other in others
    )
    assert result.support == {"testing.evaluate"}


def test_transforms_see_what_the_ones_before_them_did() -> None:
    class Text(Renamer):
        name = "text"
        order = 0

        def run(self, ctx: FileContext) -> cst.Module | str | None:
            return ctx.text.replace("def f(x):\n", "def f(x):\n  'New.'\n")

    result = migrate(PROGRAM, registry=with_transforms(Text(), Renamer()))
    assert result.new_text is not None and "'New.'" in result.new_text
    assert {c.code: c.line for c in result.changes}["TF301"] == 6


class Stuck(Renamer):
    """Meets an obstacle that the rules take away."""

    name = "stuck"
    triggers = frozenset({"tensorflow.*"})

    def run(self, ctx: FileContext) -> cst.Module | str | None:
        if "tf.log" in ctx.text:
            ctx.finding("TF399", 3, "tf.log is in the way", "wait", Rung.COMPAT)
        return None


class Dropping(Stuck):
    """Takes out what nothing can stand for, which is said once."""

    name = "dropping"
    order = 2

    def run(self, ctx: FileContext) -> cst.Module | str | None:
        if "tf.lost()\n" not in ctx.text:
            return None
        ctx.finding("TF398", 2, "tf.lost is lost", "find it")
        return ctx.text.replace("tf.lost()\n", "pass\n")


def test_a_further_round_forgets_obstacles_that_are_gone_and_nothing_else() -> None:
    result = migrate(HEAD + "tf.lost()\ny = tf.log(1)\n", registry=with_transforms(Stuck(), Dropping()))
    assert result.new_text == HEAD + "pass\ny = tf.math.log(1)\n"
    assert [(f.code, f.line) for f in result.findings] == [("TF398", 2)]


def test_triggers_decide_what_runs() -> None:
    result = migrate(HEAD + "x = tf.log(1)\n", registry=with_transforms(Broken()))
    assert not result.findings


def test_scopes_of_cst_nodes() -> None:
    ctx = FileContext.of(
        "a.py", "import tensorflow as tf\ng = lambda tf, q=tf.a: [tf.b for tf in tf.c]\ntf.d\n"
    )
    found: dict[str, str | None] = {}

    class Visitor(cst.CSTVisitor):
        def visit_Attribute(self, node: cst.Attribute) -> None:
            found[node.attr.value] = ctx.resolve(node)

    ctx.module.visit(Visitor())
    assert found == {"a": "tensorflow.a", "b": None, "c": None, "d": "tensorflow.d"}
