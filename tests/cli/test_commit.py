"""`--commit`, `--since` and baselines, in real git repositories."""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from migrator.engine import families
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from tests.project.trees import snapshot

Call = Callable[..., Result]
NET = """\
import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim


def net(images, dtype=np.float):
  x = tf.log(images)
  x = slim.conv2d(x, 8, [3, 3], scope='c')
  return tf.to_float(x)


def other(x):
  y = np.int(3)
  return tf.to_int32(x) + y
"""


def git(repo: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b", *arguments], cwd=repo, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "A Person")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "person@example.org")
    root = tmp_path / "repo"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg/__init__.py").write_text("")
    (root / "pkg/net.py").write_text(NET)
    (root / "old.py").write_bytes(b"import numpy as np\r\nprint 'x', np.int(3)\r\n")
    (root / "same.py").write_text("x = 1\n")
    (root / "requirements.txt").write_text("tensorflow==1.15\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "TF1")
    return root


def test_one_commit_for_each_family_and_their_sum_is_the_migration(
    repo: Path, migrator: Call, tmp_path: Path
) -> None:
    migrator("migrate", repo, "--out", tmp_path / "whole", "--no-cache")
    hook = repo / ".git/hooks/post-commit"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    said = migrator("migrate", repo, "--commit", "--no-cache")
    assert "Made 5 commits; back with: git reset --hard" in said.stderr
    titles = git(repo, "log", "--format=%s", "--reverse").splitlines()
    assert titles == [
        "TF1", "Add the support package that the migrated code uses",
        *(families.FAMILIES[family] for family in ("DEP", "PY2", "TF1", "TF2")),
    ]  # fmt: skip
    assert git(repo, "status", "--porcelain") == ""
    whole = snapshot(tmp_path / "whole")
    committed = {
        path: data for path, data in snapshot(repo).items() if not path.startswith((".git", ".mig"))
    }
    assert committed == {k: v for k, v in whole.items() if not k.startswith(".migrator")}
    assert not (tmp_path / "ran").exists()  # hooks of the repository are not run
    # every step parses
    for commit in git(repo, "rev-list", "HEAD").split()[:-1]:
        for path in git(repo, "diff", "--name-only", f"{commit}^", commit).split():
            if path.endswith(".py"):
                ast.parse(git(repo, "show", f"{commit}:{path}"))
    body = git(repo, "log", "--format=%B")
    assert "TF101: 1 in 1 file\n" in body and "tf.log is tf.math.log" in body
    assert git(repo, "log", "-1", "--format=%an").strip() == "A Person"
    migrator("undo", repo)
    assert git(repo, "diff", "HEAD~5", "--stat", "--", "*.py", "*.txt") == ""


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("rm -rf .git", "not in a git work tree"),
        ("echo 1 > new.py", "uncommitted change"),
        ("touch .git/MERGE_HEAD", "in the middle of something"),
        ("rm -rf .git && git init -q", "no commit yet"),
    ],
)
def test_what_cannot_be_committed_is_refused_before_anything_is_written(
    repo: Path, migrator: Call, spoil: str, said: str
) -> None:
    subprocess.run(spoil, shell=True, cwd=repo, check=True)
    before = {k: v for k, v in snapshot(repo).items() if k.endswith(".py")}
    assert said in migrator("migrate", repo, "--commit", code=4).stderr
    assert {k: v for k, v in snapshot(repo).items() if k.endswith(".py")} == before


def test_nobody_to_commit_as(
    repo: Path, migrator: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{name}_NAME")
        monkeypatch.delenv(f"GIT_{name}_EMAIL")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    git(repo, "config", "user.useConfigOnly", "true")
    assert "user.email" in migrator("migrate", repo, "--commit", code=4).stderr


def test_a_folder_of_a_repository_is_committed_as_such(repo: Path, migrator: Call) -> None:
    migrator("migrate", repo / "pkg", "--commit", "--no-cache")
    assert git(repo, "status", "--porcelain") == ""
    changed = git(repo, "diff", "--name-only", "--diff-filter=M", "HEAD~2", "HEAD").split()
    assert changed == ["pkg/net.py"]


def test_files_that_go_are_committed_as_such(repo: Path, migrator: Call) -> None:
    migrator("migrate", repo, "--commit", "--no-cache")
    assert git(repo, "ls-files", "*tf1_support*")
    said = migrator("migrate", repo, "--commit", "--no-cache", "--support", "package").stdout
    assert "removed" in said and "support file" in said
    assert git(repo, "status", "--porcelain") == "" and not git(repo, "ls-files", "*tf1_support*")
    assert "tf1-support==" in git(repo, "show", "HEAD:requirements.txt")


def test_steps_end_with_the_plan_and_each_binds_its_names(repo: Path) -> None:
    plan = build_plan(repo, Options())
    steps = families.split(plan)
    last: dict[str, str] = {}
    for step in steps:
        last |= step.texts
    assert last == {r.path: r.new_text for r in plan.changed} | dict(plan.support_files)
    told = [c for step in steps for changes in step.changes.values() for c in changes]
    assert sorted(told, key=str) == sorted((c for r in plan.changed for c in r.changes), key=str)
    net = [step.texts["pkg/net.py"] for step in steps if "pkg/net.py" in step.texts]
    assert len(net) >= 2 and "slim.conv2d" in net[0] and len(set(net)) == len(net)


# -- since


def test_since_plans_what_differs_from_a_revision(repo: Path, migrator: Call) -> None:
    def planned(rev: str) -> set[str]:
        said = migrator("migrate", repo, "--since", rev, "--diff", "--json", code=None).stdout
        return {f["path"] for f in json.loads(said)["files"]}

    (repo / "same.py").write_text("x = 2\n")
    (repo / "new é.py").write_text("import numpy as np\nx = np.int(3)\n")
    assert planned("HEAD") == {"same.py", "new é.py"}
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "two")
    assert planned("HEAD~1") == {"same.py", "new é.py"}
    said = migrator("migrate", repo, "--since", "HEAD", "--diff")
    assert "No source file differs from HEAD" in said.stderr
    for bad in ("nowhere", "--output=x", "HEAD:same.py"):
        assert "git knows no commit" in migrator("migrate", repo, f"--since={bad}", code=2).stderr


# -- baselines


def test_only_what_is_new_counts(repo: Path, migrator: Call, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    before = snapshot(repo)
    migrator("migrate", repo, "--write-baseline", base)
    assert snapshot(repo) == before
    said = migrator("migrate", repo, "--baseline", base, "--diff")
    assert "known to the baseline" in said.stderr and "would change 0 files" in said.stderr.lower()
    # lines may move, what is new is seen
    (repo / "pkg/net.py").write_text("# moved\n\n" + NET)
    assert migrator("migrate", repo, "--baseline", base, "--diff").exit_code == 0
    (repo / "pkg/net.py").write_text(NET + "\n\nz = tf.log(1.0)\n")
    plan = json.loads(
        migrator("migrate", repo, "--baseline", base, "--diff", "--json", code=1).stdout
    )
    assert [f["path"] for f in plan["files"] if f["status"] == "changed"] == ["pkg/net.py"]
    assert all("tf1_support" in path for path, _ in plan["support_files"])


def test_a_baseline_shrinks_file_by_file(repo: Path, migrator: Call) -> None:
    base = repo / "migrator-baseline.json"
    (repo / "setup.cfg").write_text("[migrator]\nbaseline = migrator-baseline.json\n")
    migrator("migrate", repo, "--write-baseline", base)
    assert set(json.loads(base.read_text())["files"]) == {
        "old.py", "pkg/net.py", "requirements.txt",
    }  # fmt: skip
    migrator("migrate", repo, "--diff")
    # this file is migrated now, in spite of what is known
    migrator("migrate", repo, "-f", "old.py", "--baseline", "", "--allow-dirty")
    said = migrator("migrate", repo, "--diff").stderr
    assert "entries are gone" in said
    migrator("migrate", repo, "-f", "old.py", "--write-baseline", base)
    assert set(json.loads(base.read_text())["files"]) == {"pkg/net.py", "requirements.txt"}
    assert "gone" not in migrator("migrate", repo, "--diff").stderr


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "migrator-baseline", "version": 2}', "[" * 100_000,
     '{"format": "migrator-baseline", "version": 1, "files": {"a": {"x": -1}}}',
     '{"format": "migrator-baseline", "version": 1, "files": {"a": ["x"]}}'],
)  # fmt: skip
def test_what_is_no_baseline_is_refused(
    repo: Path, migrator: Call, tmp_path: Path, text: str
) -> None:
    (tmp_path / "b.json").write_text(text)
    said = migrator("migrate", repo, "--baseline", tmp_path / "b.json", "--diff", code=2)
    assert str(tmp_path / "b.json") in said.stderr
