"""`migrator todo`: what is left by cause, as something to work on, and whether it is done."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from click.testing import Result

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import FileResult, Finding, Plan, Rung, Status
from migrator.report import orders

Call = Callable[..., Result]
SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
KEPT = """\
import tensorflow as tf


def run(graph):
    return tf.profiler.Profiler(graph)


def words():
    return tf.contrib.learn.SVM(10)
"""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg/a.py").write_text(KEPT)
    (root / "pkg/a_test.py").write_text(KEPT)
    return root


def found(root: Path) -> tuple[orders.Order, ...]:
    return orders.of(build_plan(root, Options(jobs=1)), written=False)


def test_what_stays_with_a_session_is_told_under_its_obstacle() -> None:
    text = "def run(fetch):\n    x = 1\n    sess = 2\n    return sess.run(fetch)\n\n\ny = 3\n"

    def at(code: str, line: int, symbol: str) -> Finding:
        return Finding(code, "a.py", line, 4, f"{code} {symbol}", "advice", symbol, Rung.COMPAT)

    findings = (
        at("TF390", 4, "tf.Session"), at("TF005", 2, "tf.placeholder"), at("TF005", 3, "tf.Session"),
        at("TF005", 7, "tf.Variable"),
    )  # fmt: skip
    plan = Plan("/r", (FileResult("a.py", Status.UNCHANGED, old_text=text, findings=findings),))
    session, other = orders.of(plan, written=False)
    assert session.code == "TF390" and [p.line for p in session.places if p.main] == [4]
    assert {p.line for p in session.places if not p.main} == {2, 3}
    assert [p.line for p in other.places] == [7]  # in no function with an obstacle


def test_every_finding_is_in_one_order(kept: Path) -> None:
    plan = build_plan(kept, Options(jobs=1))
    made = orders.of(plan, written=False)
    assert sum(len(o.places) for o in made) == len(plan.findings)
    assert {o.rung for o in made} >= {Rung.MANUAL.value, Rung.COMPAT.value}
    assert [o.rung for o in made] == sorted((o.rung for o in made), key=orders.RUNGS.index)


def test_orders_have_names_that_lines_do_not_change(kept: Path) -> None:
    before = {o.id for o in found(kept)}
    (kept / "pkg/a.py").write_text("# a line more\n" + KEPT)
    assert {o.id for o in found(kept)} == before


def test_tests_come_last(kept: Path) -> None:
    (kept / "pkg/b_test.py").write_text("import tensorflow as tf\n\nx = tf.no_such_name(1)\n")
    made = [o for o in found(kept) if o.rung == "manual"]
    assert [o.test for o in made] == sorted(o.test for o in made) and made[-1].test


def test_the_list_has_code_what_it_did_and_how_to_prove_it(kept: Path, migrator: Call) -> None:
    said = migrator("todo", kept).stdout
    part = said[said.index("tf.contrib.learn.SVM is not in") :]
    assert "TensorFlow 1: It was the forerunner of tf.estimator" in part
    assert re.search(r"> +9  +return tf\.contrib\.learn\.SVM\(10\)", part)
    assert f"`migrator todo {kept} --check TF330-" in part and "- Instead: " in part
    assert "First run `migrator migrate" in said
    assert f"migrator verify {kept}" in said  # nothing was compared yet
    assert not (kept / ".migrator").exists()


def test_a_list_is_checked_order_by_order(kept: Path, migrator: Call, tmp_path: Path) -> None:
    migrator("migrate", kept)
    listed = tmp_path / "todo.md"
    listed.write_text(migrator("todo", kept).stdout)
    said = migrator("todo", kept, "--check", listed, code=1).stdout
    assert "done" not in said.rpartition("\n")[0].split("\n")[0] and "0 orders done, 3 left" in said
    for name in ("a.py", "a_test.py"):
        path = kept / "pkg" / name
        path.write_text(re.sub(r"return .*SVM.*", "return None", path.read_text()))
    said = migrator("todo", kept, "--check", listed, code=1).stdout
    assert "1 order done, 2 left" in said and re.search(r"^done +TF330-", said, re.MULTILINE)
    ident = re.findall(r"TF330-[0-9a-f]{6}", listed.read_text())[0]
    assert "1 order done" in migrator("todo", kept, "--check", ident).stdout
    (kept / ".migrator/verify.json").write_text('{"reference": "", "checks": []}')
    assert "0 orders done, 1 left" in migrator("todo", kept, "--check", code=1).stdout


def test_what_did_not_come_out_equal_is_left(kept: Path, migrator: Call) -> None:
    (kept / ".migrator").mkdir()
    checks = [{"workload": "train", "name": "weights", "status": "differs", "detail": "a/b: 0.5"},
              {"workload": "train", "name": "loss", "status": "equal"}]  # fmt: skip
    (kept / ".migrator/verify.json").write_text(json.dumps({"reference": "", "checks": checks}))
    said = migrator("todo", kept).stdout
    assert "train, weights: differs" in said and "a/b: 0.5" in said and "--only 'train'" in said
    assert "loss" not in said[said.index("train, weights") :]


def test_json_is_as_its_schema_says(kept: Path, migrator: Call) -> None:
    schema = json.loads((SCHEMAS / "todo-1.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    listed = json.loads(migrator("todo", kept, "--json").stdout)
    validator.validate(listed)
    assert listed["edits_to_make"] > 0 and all(o["prove"] for o in listed["orders"])
    checked = json.loads(migrator("todo", kept, "--check", "--json", code=1).stdout)
    validator.validate(checked)
    assert [o["id"] for o in checked["left"]] == [o["id"] for o in listed["orders"]]


def test_an_empty_list_is_done(migrator: Call, tmp_path: Path) -> None:
    (tmp_path / "clean" / ".migrator").mkdir(parents=True)
    (tmp_path / "clean" / "a.py").write_text("x = 1\n")
    checks = [{"workload": "w", "name": "x", "status": "equal"}]
    (tmp_path / "clean" / ".migrator" / "verify.json").write_text(json.dumps({"checks": checks}))
    for form in ((), ("--json",)):
        (tmp_path / "list").write_text(migrator("todo", tmp_path / "clean", *form).stdout)
        done = migrator("todo", tmp_path / "clean", "--check", tmp_path / "list")
        assert "0 orders done, 0 left" in done.output


@pytest.mark.parametrize("text", ["nothing of the kind", ""])
def test_what_is_no_list_is_wrong_usage(
    kept: Path, migrator: Call, tmp_path: Path, text: str
) -> None:
    (tmp_path / "x.md").write_text(text)
    assert "names no order" in migrator("todo", kept, "--check", tmp_path / "x.md", code=2).output
    assert "neither" in migrator("todo", kept, "--check", tmp_path / "none.md", code=2).output


def test_code_cannot_end_its_fence_or_begin_a_heading(kept: Path, migrator: Call) -> None:
    hostile = 'import tensorflow as tf\n\n"""```\n# heading\n```"""\nx = tf.no_such_name(1)\n'
    (kept / "pkg/a`b.py").write_text(hostile)
    said = migrator("todo", kept).stdout
    assert "`pkg/a'b.py:6`" in said
    listing = said[said.index("pkg/a'b.py:6") :].split("\n\n")[1]
    assert listing.startswith("````python\n") and listing.endswith("\n````")
    assert not re.search(r"^# heading", said, re.MULTILINE)


def test_what_another_file_must_list_is_done_when_it_does(tmp_path: Path, migrator: Call) -> None:
    (tmp_path / "a.py").write_text('import tensorflow as tf\nw = tf.summary.FileWriter("logs")\n')
    for _ in range(2):  # the second run finds nothing of TensorFlow 1 any more
        migrator("migrate", tmp_path, "--allow-dirty")
        (ident,) = re.findall(r"### (DEP107-[0-9a-f]{6})", migrator("todo", tmp_path).stdout)
    migrator("todo", tmp_path, "--check", ident, code=1)
    assert "1 place for a person" in migrator("scan", tmp_path).stdout
    (tmp_path / "requirements.txt").write_text("tensorboard\n")
    migrator("todo", tmp_path, "--check", ident)
    assert "0 places for a person" in migrator("scan", tmp_path).stdout
    migrator("report", tmp_path, "--out", tmp_path / "report.md")
    assert "0 left" in (tmp_path / "report.md").read_text()
