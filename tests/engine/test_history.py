"""Migrations of a tree add up: edits, findings that stay while their line does, and what undo takes back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from migrator.cli.main import cli
from migrator.engine import history
from migrator.engine.history import Onward
from migrator.model import Plan

PROGRAM = """\
import tensorflow as tf
from tensorflow.contrib import learn

print(1)
words = learn.SVM(10)


def f(x):
  return tf.to_float(x)
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "net").mkdir(parents=True)
    (root / "net" / "a.py").write_text(PROGRAM)
    (root / "b.py").write_text("import tensorflow as tf\n\nx = tf.to_int32(3.0)\n")
    return root


def migrate(repo: Path, *more: str, code: int = 0) -> str:
    done = CliRunner().invoke(cli, ["migrate", str(repo), "--allow-dirty", "--no-cache", "-j1", *more])
    assert done.exit_code == code, done.output
    return done.output


def kept(repo: Path) -> Plan:
    plan = history.load(repo)
    assert plan is not None
    return plan


def edits(plan: Plan) -> int:
    return sum(len(f.changes) for f in plan.changed)


def codes(plan: Plan) -> list[tuple[str, str, int]]:
    return [(f.path, f.code, f.now) for f in plan.findings]


def test_lines_are_followed_through_an_edit() -> None:
    onward = Onward("a\nb\nold\nc\n", "zero\na\nb\nnew one\nnew two\nc\n")
    assert [onward.kept(n) for n in (1, 2, 3, 4)] == [2, 3, None, 6]
    assert onward.near(3, "two") == 5 and onward.near(3, "nothing") == 4
    assert Onward("a\nb\n", "a\n").near(2, "b") == 1
    onward = Onward("a\nx.f(1)\nx.f(2)\nx.f(3)\nb\n", "a\nf(x, 1)\nf(x, 2)\nf(x, 3)\nb\n")
    assert [onward.near(line, "f") for line in (2, 3, 4)] == [2, 3, 4]


def test_a_second_migration_adds_to_the_first(repo: Path) -> None:
    migrate(repo, "-f", "net/")
    first = kept(repo)
    (repo / "net" / "a.py").open("a").write("y = tf.to_int64(x)\n")
    migrate(repo)
    both = kept(repo)
    assert [w.edits for w in both.written] == [edits(first), edits(both) - edits(first)]
    assert {f.path for f in both.changed} == {"b.py", "net/a.py"}
    (a,) = [f for f in both.files if f.path == "net/a.py"]
    assert a.old_text == PROGRAM  # as it was before the first
    assert "tf.cast(x, tf.int64)" in (a.new_text or "")
    migrate(repo)  # nothing more to change: nothing is forgotten, and nothing counts as a migration
    assert edits(kept(repo)) == edits(both) and kept(repo).written == both.written


def test_a_finding_stays_until_its_line_is_changed(repo: Path) -> None:
    migrate(repo)
    (found,) = codes(kept(repo))
    assert found[:2] == ("net/a.py", "TF330")
    path = repo / "net" / "a.py"
    lines = path.read_text().splitlines(keepends=True)
    assert "SVM" in lines[found[2] - 1]
    for _ in range(2):  # the second run sees other code there, and it is the same finding
        assert migrate(repo).count("SVM is not in TensorFlow 2") == 1
        assert codes(kept(repo)) == [found]
    path.write_text("".join(["# a line above\n", *lines]))
    moved = history.standing(kept(repo), repo)
    assert codes(moved) == [(*found[:2], found[2] + 1)]
    lines[found[2] - 1] = "words = None\n"
    path.write_text("".join(lines))
    assert codes(history.standing(kept(repo), repo)) == []
    assert "SVM" not in migrate(repo)


def test_a_file_that_a_later_plan_leaves_out_keeps_its_findings(repo: Path) -> None:
    """Where nothing of TensorFlow 1 is left, no plan looks at a Dockerfile any more."""
    (repo / "net" / "a.py").write_text("import tensorflow as tf\n\nx = tf.to_float(1)\n")
    docker = repo / "Dockerfile"
    docker.write_text("FROM nvidia/cuda:8.0-cudnn6-devel-ubuntu16.04\n")
    migrate(repo)
    assert [c[:2] for c in codes(kept(repo))] == [("Dockerfile", "DEP105")]
    for _ in range(2):
        told = CliRunner().invoke(cli, ["todo", str(repo)]).stdout
        assert "1 place, 2 causes" in told and "Dockerfile:1" in told
        assert "Dockerfile:1" in migrate(repo)
        assert "Dockerfile" not in migrate(repo, "--only-files", "b.py")
    docker.write_text("FROM python:3.11\n")
    assert "Dockerfile" not in CliRunner().invoke(cli, ["todo", str(repo)]).stdout


def test_a_finding_is_told_once_and_at_its_line(repo: Path) -> None:
    """The support package lacks it, too: said at line 1, that was a second finding of the same thing."""
    arguments = ["migrate", str(repo), "--allow-dirty", "--no-cache", "-j1", "--json"]
    data = json.loads(CliRunner().invoke(cli, arguments).stdout)
    told = [x for f in data["files"] for x in f["findings"]]
    assert [(x["code"], x["line"]) for x in told] == [("TF330", 5)]


def test_undo_takes_back_what_is_known(repo: Path) -> None:
    migrate(repo, "-f", "net/")
    first = (repo / ".migrator/plan.json").read_bytes()
    migrate(repo)
    assert CliRunner().invoke(cli, ["undo", str(repo)]).exit_code == 0
    assert (repo / ".migrator/plan.json").read_bytes() == first
    assert CliRunner().invoke(cli, ["undo", str(repo)]).exit_code == 0
    assert not (repo / ".migrator/plan.json").exists()


def test_a_file_that_was_undone_or_deleted_is_no_part_of_it(repo: Path) -> None:
    migrate(repo)
    (repo / "net" / "a.py").write_text(PROGRAM)
    (repo / "b.py").unlink()
    now = history.standing(kept(repo), repo)
    assert [f.path for f in now.files if f.changes] == [] and now.changed == ()
    assert codes(now) == [("net/a.py", "TF330", 5)]  # it has still to be done


def test_the_base_is_the_commit_that_it_began_with(repo: Path) -> None:
    def git(*arguments: str) -> str:
        own = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        done = subprocess.run(["git", *own, *arguments], cwd=repo, capture_output=True, check=True)
        return done.stdout.decode().strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "as it was")
    base = git("rev-parse", "HEAD")
    migrate(repo, "-f", "net/")
    git("commit", "-qam", "half")
    migrate(repo)
    assert kept(repo).base == base[:12] and len(kept(repo).written) == 2


def test_a_damaged_record_costs_no_migration(repo: Path) -> None:
    (repo / ".migrator").mkdir()
    (repo / ".migrator/plan.json").write_text("{")
    assert "cannot be kept" in migrate(repo)
    assert "tf.cast" in (repo / "net" / "a.py").read_text()


def test_applied_plans_count(repo: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    migrate(repo, "--plan", str(plan), code=1)
    done = CliRunner().invoke(cli, ["apply", str(plan), str(repo), "--allow-dirty"])
    assert done.exit_code == 0, done.output
    assert edits(kept(repo)) > 2 and codes(kept(repo))
