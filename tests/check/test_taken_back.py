"""What fails the check is taken back, or is a finding at its line; never neither."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from migrator.check.records import Kind
from migrator.engine import registry
from migrator.engine.context import FileContext
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Plan, Rung, Status

TF = "import tensorflow as tf\n"
#: A program that one transform edits (the dimensions of a shape) and that rules edit as well.
PROGRAM = """
import tensorflow as tf


def width(x):
    size = x.get_shape()[1].value
    return size


def main(x):
    return tf.log(x) * width(x)
"""


def planned(folder: Path, **texts: str) -> Plan:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    return build_plan(folder, Options(jobs=1))


def new_text(plan: Plan, path: str) -> str:
    (result,) = [item for item in plan.files if item.path == path]
    return result.old_text if result.new_text is None else result.new_text


def said(plan: Plan) -> list[tuple[str, int, Rung]]:
    return [(f.path, f.line, f.rung) for f in plan.findings if f.code == "TF007"]


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], str]], None]:
    """Makes one transform damage what it writes."""

    def make(damage: Callable[[str], str], name: str = "dimensions") -> None:
        item = registry._TRANSFORMS[name]
        own = type(item).run

        def run(_: object, ctx: FileContext) -> str | None:
            made = own(item, ctx)
            if isinstance(made, str):
                ctx.text = made
            elif made is not None:
                ctx.module = made  # type: ignore[assignment]
            text = damage(ctx.text)
            return text if text != ctx.original else None

        monkeypatch.setattr(type(item), "run", run)

    registry.load_transforms()
    return make


def test_an_edit_that_loses_a_name(tmp_path: Path, breaking: Callable[..., None]) -> None:
    breaking(lambda text: text.replace("    size = ", "    width_of = "))
    plan = planned(tmp_path, a=PROGRAM)
    text = new_text(plan, "a.py")
    assert "width_of" not in text and "x.get_shape()[1].value" in text  # taken back as a whole
    assert "tf.math.log(x)" in text  # what others did stays
    assert said(plan) == [("a.py", 7, Rung.COMPAT)]
    (finding,) = [f for f in plan.findings if f.code == "TF007"]
    assert "'dimensions' was taken back: with it, size is read, and nothing binds it" in finding.message


def test_an_edit_that_another_module_does_not_follow(
    tmp_path: Path, breaking: Callable[..., None]
) -> None:
    breaking(lambda text: text.replace("def width(x)", "def width(x, axis)"))
    user = "import a\nimport tensorflow as tf\nprint(a.width(tf.ones([2, 3])))\n"
    plan = planned(tmp_path, a=PROGRAM.replace("width(x)\n", "1\n"), user=user)
    assert "def width(x):" in new_text(plan, "a.py")
    assert said(plan) == [("user.py", 3, Rung.COMPAT)]


def test_what_is_handed_between_modules_is_taken_back_from_all_of_them(
    tmp_path: Path, breaking: Callable[..., None]
) -> None:
    """The graph that a module loads is its session, too; where it is not, it is none for who imports it."""
    breaking(lambda text: text.replace("name = PATH", "title = PATH"), "frozen_graph")
    texts = {"loads": """
    import tensorflow as tf

    PATH = 'model.pb'


    def load():
        name = PATH
        graph = tf.Graph()
        with graph.as_default():
            graph_def = tf.GraphDef()
            with tf.gfile.GFile(name, 'rb') as stream:
                graph_def.ParseFromString(stream.read())
            tf.import_graph_def(graph_def, name='')
            sess = tf.Session(graph=graph)
        return graph, sess
    """, "user": """
    import tensorflow as tf
    import loads


    def main(x):
        graph, sess = loads.load()
        sess = tf.Session(graph=graph)
        return sess.run(graph.get_tensor_by_name('y:0'), {'x:0': x})
    """, "other": """
    import tensorflow as tf


    def main(x):
        graph_def = tf.GraphDef()
        with tf.gfile.GFile('other.pb', 'rb') as stream:
            graph_def.ParseFromString(stream.read())
        tf.import_graph_def(graph_def, name='')
        with tf.Session() as sess:
            return sess.run('y:0', {'x:0': x})
    """}  # fmt: skip
    plan = planned(tmp_path, **texts)
    assert {path for path, *_ in said(plan)} == {"loads.py"}
    assert "FrozenGraph" not in new_text(plan, "loads.py") + new_text(plan, "user.py")
    assert "Session(graph=graph)" in new_text(plan, "user.py")
    assert "FrozenGraph" in new_text(plan, "other.py")  # which has nothing to do with them


def test_nothing_is_said_where_another_transform_takes_the_place(
    tmp_path: Path, breaking: Callable[..., None]
) -> None:
    breaking(lambda text: text.replace("rate = 0.5", "ratio = 0.5"), "session_programs")
    plan = planned(tmp_path, a="""
    import tensorflow as tf

    rate = 0.5
    x = tf.placeholder(tf.float32, [])
    y = x * rate
    with tf.Session() as sess:
        print(sess.run(y, {x: 3.0}))
    """)
    text = new_text(plan, "a.py")
    assert "rate = 0.5" in text and "tf.function" not in text  # taken back
    assert "graphs.function([x], y)" in text and "Session" not in text
    assert said(plan) == []


def test_faults_of_one_edit_are_told_once_at_lines_of_the_original(
    tmp_path: Path, breaking: Callable[..., None]
) -> None:
    def damage(text: str) -> str:
        return text.replace("def width(x)", "# longer\n# longer\ndef width(x, axis)")

    breaking(damage)
    calls = "print(a.width(1))\n"
    user = f"import a\nimport tensorflow as tf\n\n\n{calls}{calls}\n{calls}"
    plan = planned(tmp_path, a=PROGRAM.replace("width(x)\n", "1\n"), user=user)
    assert said(plan) == [("user.py", 5, Rung.COMPAT)]
    (finding,) = [f for f in plan.findings if f.code == "TF007"]
    assert "'dimensions' of a.py was taken back" in finding.message


def test_an_edit_that_drops_what_a_subclass_reads(
    tmp_path: Path, breaking: Callable[..., None]
) -> None:
    base = """
    import tensorflow as tf


    class Base(object):
        def __init__(self, x):
            self.size = x.get_shape()[1].value
            self.x = x
    """
    child = """
    from base import Base


    class Child(Base):
        def area(self):
            return self.size * 2
    """
    breaking(lambda text: "\n".join(row for row in text.split("\n") if "self.size =" not in row))
    plan = planned(tmp_path, base=base, child=child)
    assert "self.size = x.get_shape()[1].value" in new_text(plan, "base.py")
    assert {path for path, _, _ in said(plan)} == {"child.py"}


def test_an_edit_that_cannot_be_taken_back_is_a_finding(tmp_path: Path) -> None:
    text = TF + "x = tf.nn.relu(1)\ny = [tf.nn.dropout]\n"
    plan = planned(tmp_path, a=text)
    findings = [f for f in plan.findings if f.path == "a.py" and f.line == 3]
    assert findings or "dropout" not in new_text(plan, "a.py").split("y = ")[1].replace("nn.dropout", "")


def test_a_second_run_takes_the_same_back(tmp_path: Path, breaking: Callable[..., None]) -> None:
    breaking(lambda text: text.replace("    size = ", "    width_of = "))
    plan = planned(tmp_path, a=PROGRAM)
    (tmp_path / "a.py").write_text(new_text(plan, "a.py"))
    again = build_plan(tmp_path, Options(jobs=1))
    assert [item.path for item in again.changed] == []


def test_a_comment_of_the_author_silences_it(tmp_path: Path, breaking: Callable[..., None]) -> None:
    breaking(lambda text: text.replace("    size = ", "    width_of = "))
    program = PROGRAM.replace("return size", "return size  # migrator: ignore[TF007]")
    assert said(planned(tmp_path, a=program)) == []


def test_the_cache_remembers_what_was_taken_back(
    tmp_path: Path, breaking: Callable[..., None]
) -> None:
    breaking(lambda text: text.replace("    size = ", "    width_of = "))
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text(PROGRAM)
    (tree / "b.py").write_text(TF + "x = tf.log(1.0)\n")
    options = Options(jobs=1, cache_dir=tmp_path / "cache")
    first, second = build_plan(tree, options), build_plan(tree, options)
    assert said(first) == said(second) == [("a.py", 7, Rung.COMPAT)]
    assert [f.new_text for f in first.files] == [f.new_text for f in second.files]
    (tree / "b.py").write_text(TF + "x = tf.log(2.0)\n")
    third = build_plan(tree, options)
    assert said(third) == [("a.py", 7, Rung.COMPAT)] and "log(2.0)" in new_text(third, "b.py")


def test_several_processes_say_the_same(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"m{number}.py").write_text(TF + f"x = tf.placeholders({number})\n")
    one, two = (build_plan(tmp_path, Options(jobs=jobs)) for jobs in (1, 2))
    assert [f.findings for f in one.files] == [f.findings for f in two.files]


PROGRAMS = {
    "main above": """
        import tensorflow as tf


        def session_config():
            return tf.ConfigProto()


        def main():
            x = tf.placeholder(tf.float32, [None, 2])
            y = tf.layers.dense(x, 3)
            with tf.Session(config=session_config()) as sess:
                sess.run(tf.global_variables_initializer())
                print(sess.run(y, {x: [[1.0, 2.0]]}))


        main()
        """,
    "unknown class": """
        import nets
        import tensorflow as tf


        def main(images):
            net = nets.get("a")()
            logits = net.net(images)
            saver = tf.train.Saver()
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                saver.save(sess, "model.ckpt")
        """,
    "session in a base class": """
        import tensorflow as tf


        class Base(object):
            def __init__(self):
                self.sess = tf.Session()


        class Child(Base):
            def run(self, x):
                return self.sess.run(x)
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_broke_silently(tmp_path: Path, name: str) -> None:
    """After the plan, the check has nothing to say that no finding says."""
    from tests.check.helpers import Tree

    nets = "class Net(object):\n    def net(self, x):\n        return x\n\n\ndef get(name):\n    return Net\n"
    plan = planned(tmp_path, a=PROGRAMS[name], nets=nets)
    old = {item.path: item.old_text for item in plan.files if item.status is not Status.SKIPPED}
    new = {path: new_text(plan, path) for path in old}
    for text in new.values():
        ast.parse(text)
    lines = {(f.path, f.line) for f in plan.findings}
    faults = [f for f in Tree(old, new).faults() if f.kind is not Kind.UNUSED and not f.old]
    assert [f for f in faults if (f.path, f.line) not in lines] == []
    if name == "unknown class":
        assert "net.net(images)" in new["a.py"]
    if name == "session in a base class":  # both parts of it go, or none does
        parent, child = new["a.py"].split("class Child")
        assert ("self.sess" in parent) is ("self.sess" in child)
