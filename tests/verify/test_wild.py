"""The harness of benchmarks/wild: its drivers are well-formed, and its verdicts are the right ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.wild import asked, harness, kit, python2, tables
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import FileResult, Finding, Plan, Rung, to_json
from migrator.model import Status as FileStatus
from migrator.verify.records import Check, Status

_REST = "\n\ndef other():\n    pass\n"
OLD = "import tensorflow as tf\n\n\ndef train():\n    sess = tf.Session()\n    sess.run(1)\n" + _REST
NEW = "import tensorflow as tf\nimport tf1\n\n\ndef train():\n    step(1)\n" + _REST



def plan(*findings: Finding) -> Plan:
    return Plan("/x", (FileResult("a.py", FileStatus.CHANGED, "", OLD, NEW, (), findings),))


def finding(line: int, rung: Rung = Rung.MANUAL) -> Finding:
    return Finding("TF390", "a.py", line, 0, "message", "advice", "", rung)


def driver(**paths: object) -> harness.Driver:
    return harness.Driver("x", Path("x.py"), "https://example.org/o/x", "0" * 40, False, dict(paths))


def test_every_driver_is_well_formed() -> None:
    found = harness.drivers()
    assert found
    for each in found:
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", each.url), each.name
        assert re.fullmatch(r"[0-9a-f]{40}", each.commit), each.name
        assert any(not w.carried for w in harness.workloads(each)), each.name


def test_paths_stand_in_the_order_of_the_file() -> None:
    (found,) = harness.drivers(["char_rnn"])
    assert list(found.paths)[:3] == ["corpus", "weights", "train"]
    assert [w.name for w in harness.workloads(found, ["sample"])] == ["corpus", "weights", "sample"]
    assert found.folder == "sherjilozair+char-rnn-tensorflow"


@pytest.mark.parametrize(("line", "old"), [(1, (1, 1)), (6, (5, 6)), (10, (10, 10))])
def test_lines_of_the_original(line: int, old: tuple[int, int]) -> None:
    assert harness.original_lines(OLD, NEW, line) == old


@pytest.mark.parametrize(
    ("there", "rung", "found"),
    [(5, Rung.MANUAL, "TF390 a.py:5"), (5, Rung.COMPAT, ""), (9, Rung.MANUAL, "")],
)
def test_a_crash_stands_under_a_finding_in_its_function(there: int, rung: Rung, found: str) -> None:
    detail = "after the migration: exit code 1, at a.py:6\nNameError: x"
    assert harness.at_traceback(plan(finding(there, rung)), detail) == found


def test_verdicts() -> None:
    ended = Check("p", "exit code", Status.EQUAL)
    crashed = Check("p", "exit code", Status.FAILED,
                    detail="after the migration: exit code 1, at a.py:6\nNameError: x")  # fmt: skip
    differs = Check("p", "printed", Status.DIFFERS, 0.5, detail="1 of 1 lines")
    never = Check("p", "exit code", Status.NOT_RUN, detail="the original: exit code 1\nImportError")
    the = driver(p=lambda w: None)

    def verdict(*checks: Check, of: Plan | None = None) -> tuple[harness.Verdict, bool]:
        result = harness.judged(the, "p", checks, of or plan())
        return result.verdict, result.runs

    assert verdict(ended) == (harness.Verdict.EQUAL, True)
    assert verdict(ended, differs) == (harness.Verdict.SILENT, True)
    assert verdict(crashed) == (harness.Verdict.SILENT, False)
    assert verdict(crashed, of=plan(finding(5))) == (harness.Verdict.FINDING, False)
    assert verdict(never) == (harness.Verdict.NO_REFERENCE, False)


def test_a_program_runs_with_some_of_its_text_exchanged(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text("STEPS = 9000\nif __name__ == '__main__':\n    print(STEPS, __file__)\n")
    bench = kit.Workbench(str(tmp_path))
    bench.script("program.py", cwd=str(tmp_path), instead=[("STEPS = 9000", "STEPS = 3")])
    assert "3 program.py" in capfd.readouterr().out and "9000" in program.read_text()
    with pytest.raises(SystemExit):
        bench.script("program.py", cwd=str(tmp_path), instead=[("EPOCHS", "")])


def test_the_page_is_made_of_what_runs_left(tmp_path: Path) -> None:
    the = driver(p=None, q=None, r=None)
    paths = (
        harness.PathResult("p", harness.Verdict.EQUAL, True),
        harness.PathResult("q", harness.Verdict.SILENT, False, "a | b\nc"),
        harness.PathResult("r", harness.Verdict.NO_REFERENCE, False),
    )
    result = harness.RepositoryResult("x", the.commit, paths)
    assert harness.results(tmp_path, [the]) == []
    (tmp_path / "x").mkdir()
    (tmp_path / "x/result.json").write_text(to_json(result))
    assert harness.results(tmp_path, [the]) == [result]
    assert "Not run for this page: x." in tables.page([the], [])
    page = tables.page([the], [result])
    assert "Not run" not in page
    assert "| [o/x](https://example.org/o/x) | p, q | 1 | 1 | 0 | 1 |" in page
    assert "| x | q | no | none: silent | a \\| b c |" in page


def test_a_declared_finding_has_to_be_there() -> None:
    path = kit.under("TF390", "a.py", "why")(lambda w: None)
    assert harness.declared(path, plan(finding(5))) == "TF390 a.py:5"
    assert harness.declared(path, plan()) == ""


def test_division_of_python_2() -> None:
    text = '"""Doc."""\nfrom __future__ import print_function\nx = 7\nx /= 2\ny = 7 / 2.0\nz = 1 / 2 / 1\n'
    found: dict[str, object] = {}
    exec(python2.old_division(text), found)
    assert (found["x"], found["y"], found["z"], found["__doc__"]) == (3, 3.5, 0, "Doc.")
    new = "from __future__ import division\nx = 7 / 2\n"
    assert python2.old_division(new) == new


SESSION = '''import traceback


class Op(object):
    def __init__(self, graph, name):
        self.graph, self.name = graph, name
        self.op, self.traceback = self, [tuple(e)[:2] for e in traceback.extract_stack()[:-1]]


class Graph(object):
    def as_graph_element(self, value, allow_tensor, allow_operation):
        if not isinstance(value, Op):
            raise TypeError(value)
        return value


class BaseSession(object):
    graph = Graph()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        return "ran"

    def partial_run(self, handle, fetches, feed_dict=None):
        return "ran"
'''
ASKING = '''from tensorflow.python.client import session
from net import build

sess = session.BaseSession()
x, loss = session.Op(sess.graph, "x"), build(sess.graph)
for _ in range(2):
    assert sess.run({"loss": [loss]}, {x: 1}) == "ran"
assert sess.partial_run("h", x) == "ran"
'''


def test_the_oracle_notes_which_lines_ran_what_and_which_made_it(tmp_path: Path) -> None:
    library, tree, notes = tmp_path / "library", tmp_path / "tree", tmp_path / "notes"
    for folder in (library / "tensorflow/python/client", tree, notes):
        folder.mkdir(parents=True)
    (library / "tensorflow/python/client/session.py").write_text(SESSION)
    for package in ("tensorflow", "tensorflow/python", "tensorflow/python/client"):
        (library / package / "__init__.py").write_text("")
    (tree / "main.py").write_text(ASKING)
    (tree / "net.py").write_text(
        "from tensorflow.python.client import session\n\n\ndef build(graph):\n"
        "    return session.Op(graph, 'loss')\n")  # fmt: skip
    env = {**os.environ, "PYTHONPATH": f"{asked.ORACLE}{os.pathsep}{library}",
           "MIGRATOR_ORACLE": str(notes), "MIGRATOR_VERIFY_ROOT": str(tree)}  # fmt: skip
    subprocess.run([sys.executable, "main.py"], cwd=tree, env=env, check=True)
    (file,) = notes.iterdir()
    assert json.loads(file.read_text()) == {
        "main.py:7": {"runs": 2, "feeds": {"x": ["main.py:5"]},
                      "fetches": {"loss": ["main.py:5", "net.py:5"]}},
        "main.py:8": {"runs": 1, "fetches": {"x": ["main.py:5"]}, "feeds": {}},
    }


PROGRAM = '''import tensorflow as tf
from made import loss_of


def main(batches, hook):
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.square(x)
    loss = loss_of(y)
    ops = [loss]
    ops.append(tf.reduce_max(y))
    with tf.Session() as sess:
        for batch in batches:
            print(sess.run(ops,
                           feed_dict={x: batch}))
        hook(sess)
'''


def test_what_runs_asked_for_is_compared_with_what_the_plan_knows(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(PROGRAM)
    (tmp_path / "made.py").write_text(
        "import tensorflow as tf\n\n\ndef loss_of(y):\n    return tf.reduce_mean(y)\n\n\n"
        "def hidden(go):\n    return go(1)\n")  # fmt: skip
    planned = build_plan(tmp_path, Options(jobs=1))

    def answer(place: str, lines: list[str]) -> asked.Answer:
        site = {"runs": 1, "fetches": {"Mean": lines}, "feeds": {"x": ["main.py:6"]}}
        return asked.compared({place: site}, planned)

    assert answer("main.py:14", ["main.py:8", "made.py:5"]).agree == 1
    assert answer("main.py:13", ["main.py:10"]).agree == 1
    other = answer("main.py:13", ["main.py:7"])
    assert other.elsewhere == ["main.py:13: Mean is made at main.py:7"] and not other.agree
    (unseen,) = answer("made.py:9", []).unseen
    assert unseen == f"made.py:9{asked.SILENT}"
    assert "1 sites run, 0 agree, 0 elsewhere, 1 unseen" in asked.page("x", answer("made.py:9", []))
