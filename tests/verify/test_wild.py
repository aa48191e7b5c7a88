"""The harness of benchmarks/wild: its drivers are well-formed, and its verdicts are the right ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.wild import harness, kit, python2, tables
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
