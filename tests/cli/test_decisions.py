"""`--decisions` of migrate and apply: what was accepted is written, what cannot be decided is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrator.cli.main import cli
from migrator.engine.decisions import digest
from migrator.engine.options import Options
from migrator.engine.plan import build_plan

GAP = "".join(f"line{n} = {n}\n" for n in range(20))
TEXT = f"import numpy as np\n\nx = np.float(1)\n{GAP}y = np.int(2)\n{GAP}z = np.bool(3)\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "a.py").write_text(f"import tensorflow as tf\n{TEXT}")
    (root / "b.py").write_text(TEXT)
    return root


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(a) for a in arguments])


def saved(repo: Path, answers: list[bool], path: str = "a.py") -> Path:
    """A file of decisions about one file of the plan, as the page saves it."""
    plan = build_plan(repo, Options(jobs=1))
    made = digest(next(f for f in plan.files if f.path == path))
    file = repo.parent / "decisions.json"
    file.write_text(json.dumps({
        "format": "migrator-decisions", "version": 1, "rules": [], "files": {path: [made, answers]},
    }))  # fmt: skip
    return file


def test_only_what_was_accepted_is_written(repo: Path) -> None:
    done = call("migrate", repo, "--decisions", saved(repo, [False, True, True]))
    assert done.exit_code == 0, done.output
    text = (repo / "a.py").read_text()
    assert "x = np.float(1)" in text and "y = int(2)" in text and "z = bool(3)" in text
    assert "y = int(2)" in (repo / "b.py").read_text()  # not named: accepted


def test_a_plan_takes_them_as_well(repo: Path) -> None:
    plan, file = repo.parent / "plan.json", saved(repo, [False, True, False])
    assert call("migrate", repo, "--plan", plan).exit_code == 1
    done = call("apply", plan, repo, "--decisions", file)
    assert done.exit_code == 0, done.output
    text = (repo / "a.py").read_text()
    assert "x = np.float(1)" in text and "y = int(2)" in text and "z = np.bool(3)" in text


def test_a_file_that_would_not_run_is_left(repo: Path) -> None:
    before = (repo / "a.py").read_text()  # its first hunk takes the import of numpy away
    done = call("migrate", repo, "--decisions", saved(repo, [True, False, True]))
    assert done.exit_code == 3 and "a.py: nothing in the file would define np" in done.stderr
    assert (repo / "a.py").read_text() == before


def test_a_dry_run_shows_what_was_accepted(repo: Path) -> None:
    done = call("migrate", repo, "--diff", "--decisions", saved(repo, [False, False, True]))
    assert done.exit_code == 1 and "+z = bool(3)" in done.stdout
    assert "float(1)" not in done.stdout.split("b.py")[0]


def test_a_file_that_changed_since_is_left_and_the_rest_goes_on(repo: Path) -> None:
    file = saved(repo, [True, False, True])
    before = (repo / "a.py").read_text() + "# later\n"
    (repo / "a.py").write_text(before)
    done = call("migrate", repo, "--decisions", file)
    assert done.exit_code == 3
    assert "a.py: it, or what it becomes, is not what was decided about" in done.stderr
    assert (repo / "a.py").read_text() == before and "y = int(2)" in (repo / "b.py").read_text()


def test_decisions_about_other_hunks_or_files_are_told(repo: Path) -> None:
    done = call("migrate", repo, "--diff", "--decisions", saved(repo, [True]))
    assert done.exit_code == 3 and "there are 1 decisions about its 3 hunks" in done.stderr
    file = saved(repo, [True, True, True])
    file.write_text(file.read_text().replace("a.py", "gone.py"))
    done = call("migrate", repo, "--diff", "--decisions", file)
    assert done.exit_code == 3 and "gone.py: the plan does not change it" in done.stderr


@pytest.mark.parametrize("text", [
    "", "[]", "{}", '{"format": "migrator-decisions", "version": 2, "files": {}}',
    '{"format": "migrator-decisions", "version": 1}',
    '{"format": "migrator-decisions", "version": 1, "files": {"a.py": ["d", [1]]}}', "[" * 100_000,
])  # fmt: skip
def test_what_is_no_file_of_decisions_ends_with_2(repo: Path, text: str) -> None:
    file = repo.parent / "d.json"
    file.write_text(text)
    before = (repo / "a.py").read_bytes()
    done = call("migrate", repo, "--decisions", file)
    assert done.exit_code == 2 and "d.json" in done.stderr, done.output
    assert (repo / "a.py").read_bytes() == before
    assert call("migrate", repo, "--interactive", "--decisions", file).exit_code == 2
