"""`migrate --plan` and `apply`: what was reviewed is what is written, and nothing else."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from migrator.model import Plan
from migrator.project import planfile
from tests.cli.conftest import BROKEN
from tests.project.trees import make_tree, plan_for, snapshot

Call = Callable[..., Result]


@pytest.fixture
def plan(repo: Path, migrator: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plan of `repo`; the current folder is the one above it."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "plan.json"
    before = snapshot(repo)
    said = migrator("migrate", repo, "--plan", path, code=1)
    assert "Would change 2 files" in said.stderr
    assert snapshot(repo) == before
    return path


def test_a_plan_is_written_later_and_undone(repo: Path, migrator: Call, plan: Path) -> None:
    before = snapshot(repo)
    assert "Changed 2 files" in migrator("apply", plan).stdout
    applied = snapshot(repo)
    migrator("undo", repo)
    assert snapshot(repo) == before
    migrator("migrate", repo)
    assert snapshot(repo) == applied != before
    # Written already: every file is another one than the plan was made for.
    said = migrator("apply", plan, code=3)
    assert "pkg/train.py: has changed since the plan was made" in said.stderr


def test_every_field_survives_the_file(tmp_path: Path, repo: Path, migrator: Call) -> None:
    make_tree(repo)
    (repo / "broken.py").write_text(BROKEN)
    made = plan_for(repo)
    path = tmp_path / "p"
    with open(path, "wb") as stream:
        planfile.write(made, stream)
    loaded = planfile.load(path)
    assert loaded.changed == made.changed
    assert loaded.support_files == made.support_files
    assert [f.path for f in loaded.files] == [f.path for f in made.files]
    migrator("migrate", repo, "--plan", path, "--diff", code=3)
    again = planfile.load(path)
    assert any("broken.py" in f.error for f in again.failed)
    written = io.BytesIO()
    planfile.write(again, written)
    assert written.getvalue() == path.read_bytes()


def test_a_file_that_changed_is_refused_and_the_rest_is_written(
    repo: Path, migrator: Call, plan: Path
) -> None:
    edited = (repo / "old.py").read_text() + "# edited\n"
    (repo / "old.py").write_text(edited)
    said = migrator("apply", plan, "repo", code=3)
    assert "old.py: has changed since the plan was made" in said.stderr
    assert (repo / "old.py").read_text() == edited
    assert b"scale = float(2)\r\n" in (repo / "pkg/train.py").read_bytes()


def test_a_plan_inside_a_clean_work_tree_is_no_uncommitted_change(
    repo: Path, migrator: Call, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repo, "init")
    git(repo, "add", ".")
    git(repo, "commit", "-m", "start")
    monkeypatch.chdir(repo)
    migrator("migrate", "--plan", "plan.json", code=1)
    (repo / "other.txt").write_text("x")
    assert "other.txt" in migrator("apply", "plan.json", code=4).stderr
    (repo / "other.txt").unlink()
    assert "Changed 2 files" in migrator("apply", "plan.json").stdout


def test_the_root_in_a_plan_is_believed_only_near_the_current_folder(
    repo: Path, migrator: Call, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(repo)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    said = migrator("apply", plan, code=2)
    assert f"migrator apply {plan} REPO" in said.stderr
    assert snapshot(repo) == before
    migrator("apply", plan, repo)


def _set(path: str, value: Any) -> Callable[[Any], None]:
    """Replaces one field of a plan, named as the loader names it."""

    def change(record: Any) -> None:
        *parts, last = path.replace("[", ".").replace("]", "").split(".")
        for part in parts:
            record = record[int(part)] if isinstance(record, list) else record[part]
        if isinstance(record, list):
            record[int(last)] = value
        else:
            record[last] = value

    return change


HEAD = "# migrator: generated\n"
HOSTILE = [
    (_set("files[0].path", "../victim.py"), "files[0].path", "leads out"),
    (_set("files[0].path", "/etc/passwd"), "files[0].path", "not a plain path"),
    (_set("files[0].path", "pkg/../old.py"), "files[0].path", "leads out"),
    (_set("files[0].path", "./old.py"), "files[0].path", "not a plain path"),
    (_set("files[0].path", ".git/hooks/pre-commit"), "files[0].path", "never written"),
    (_set("files[0].path", ".GIT/config"), "files[0].path", "never written"),
    (_set("files[0].path", ".migrator/journal/x"), "files[0].path", "never written"),
    (_set("files[0].path", "a\0b"), "files[0].path", "not a plain path"),
    (_set("files[0].path", "a\ud800.py"), "files[0].path", "lone surrogate"),
    (_set("files[0].path", "pkg/train.py"), "files[1].path", "twice"),
    (_set("files[0].path", ""), "files[0].path", "not a plain path"),
    (_set("files[0].path", 3), "files[0].path", "a string, not 3"),
    (_set("files[0].new_text", None), "files[0].new_text", "missing"),
    (_set("files[0].new_text", ["x"]), "files[0].new_text", "a string"),
    (_set("files[0].status", "skipped"), "files[0].new_text", "has none"),
    (_set("files[0].status", "written"), "files[0].status", "one of changed"),
    (_set("files[0].old_sha256", ""), "files[0].old_sha256", "SHA-256"),
    (_set("files[0].changes[0].line", "1"), "files[0].changes[0].line", "a whole number"),
    (_set("files[0].changes[0].line", True), "files[0].changes[0].line", "a whole number"),
    (_set("files[0].changes[0].rung", "roof"), "files[0].changes[0].rung", "one of native"),
    (_set("files[0].run", "rm -rf /"), "files[0].run", "no field"),
    (_set("files[0].seconds", "long"), "files[0].seconds", "a number"),
    (_set("files[0]", "x"), "files[0]", "an object"),
    (_set("files", {}), "files", "a list"),
    (_set("options", []), "options", "an object"),
    (_set("version", 2), "version", "must be 1"),
    (_set("format", "other"), "format", "migrator migrate --plan"),
    (_set("support_files", [["a", "b", "c"]]), "support_files[0]", "2 items"),
    (_set("support_files", [["x.py", HEAD]]), "support_files[0]", "no module"),
    (_set("support_files", [["tf1_support/x.sh", HEAD]]), "support_files[0]", "no module"),
    (_set("support_files", [["tf1_support/x.py", "import os"]]), "support_files[0]", "generated"),
    (_set("support_files", [["../tf1_support/x.py", HEAD]]), "support_files[0]", "leads out"),
]


@pytest.mark.parametrize(("change", "field", "message"), HOSTILE)
def test_hostile_plans_are_refused_with_file_and_field(
    change: Callable[[Any], None], field: str, message: str, repo: Path, plan: Path,
    migrator: Call, tmp_path: Path,
) -> None:  # fmt: skip
    record = json.loads(plan.read_text())
    assert [f["path"] for f in record["files"]] == ["old.py", "pkg/train.py"]
    change(record)
    plan.write_text(json.dumps(record))
    before = snapshot(tmp_path)
    said = migrator("apply", plan, repo, code=2).stderr
    assert f"{plan}: {field}: " in said
    assert message in said
    assert "\0" not in said
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b"9" * 10_000, b'{"version": 1}'],
)
def test_what_is_no_plan_is_refused(data: bytes, repo: Path, plan: Path, migrator: Call) -> None:
    plan.write_bytes(data)
    assert str(plan) in migrator("apply", plan, repo, code=2).stderr


def test_links_in_the_tree_are_not_followed(
    repo: Path, plan: Path, migrator: Call, tmp_path: Path
) -> None:
    os.rename(repo / "pkg", tmp_path / "outside")
    (repo / "pkg").symlink_to(tmp_path / "outside")
    before = snapshot(tmp_path)
    said = migrator("apply", plan, repo, code=2).stderr
    assert "files[1].path" in said
    assert "symbolic link" in said
    assert snapshot(tmp_path) == before


def test_a_fifo_is_not_waited_for(tmp_path: Path, repo: Path, migrator: Call) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert "is a fifo" in migrator("apply", tmp_path / "fifo", repo, code=2).stderr


def test_a_plan_for_stdout_is_only_the_plan(repo: Path, migrator: Call, tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(migrator("migrate", repo, "--plan", "-", "--diff", code=1).stdout_bytes)
    assert isinstance(planfile.load(path), Plan)
    migrator("migrate", repo, "--plan", path, "--out", tmp_path / "o", code=2)
