"""“Before” out of git: which revision it is, and what lies in its tree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from migrator.cli.migrate import command
from migrator.project.git import GitError
from migrator.workload import revisions, sides

OLD = "import tensorflow as tf\nx = tf.layers.dense(tf.zeros([1, 2]), tf.log(2.0))\n"
Git = Callable[..., str]


@pytest.fixture
def repo(tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one TF1 commit, in a folder of a larger one."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "test@example.org")
    root = tmp_path / "mono" / "part"
    (root / "sub").mkdir(parents=True)
    (root / "net.py").write_text(OLD)
    (root / "sub" / "data.txt").write_text("tracked\n")
    (root.parent / "elsewhere.py").write_text("x = 1\n")
    git(root.parent, "init", "-q")
    git(root.parent, "add", "-A")
    git(root.parent, "commit", "-qm", "original")
    return root


def migrate(root: Path, *arguments: str) -> None:
    result = CliRunner().invoke(command, [str(root), *arguments])
    assert result.exit_code == 0, result.output


def head(root: Path, git: Git) -> str:
    return git(root, "rev-parse", "HEAD").strip()


def test_nothing_is_migrated(repo: Path) -> None:
    assert revisions.before_migration(repo) is None
    assert revisions.before_migration(repo.parent.parent) is None  # no git at all


def test_commits_of_migrate(repo: Path, git: Git) -> None:
    original = head(repo, git)
    migrate(repo, "--commit")
    assert int(git(repo, "rev-list", "--count", "HEAD")) > 2
    (repo / "later.py").write_text("y = 2\n")
    git(repo, "add", "-A", ".")
    git(repo, "commit", "-qm", "later work")
    assert revisions.before_migration(repo) == original


def test_a_second_migration_begins_after_later_work(repo: Path, git: Git) -> None:
    migrate(repo, "--commit")
    (repo / "more.py").write_text(OLD)
    git(repo, "add", "more.py")
    git(repo, "commit", "-qm", "later work")
    later = head(repo, git)
    migrate(repo, "--commit")
    assert revisions.before_migration(repo) == later


def test_a_migration_that_was_committed_by_hand(repo: Path, git: Git, tmp_path: Path) -> None:
    original = head(repo, git)
    migrate(repo)
    assert revisions.before_migration(repo) == original  # not committed yet
    git(repo, "add", "-A", ".")
    git(repo, "commit", "-qm", "TensorFlow 2")
    git(repo, "commit", "-q", "--allow-empty", "-m", "more")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repo.parent), str(clone))
    assert revisions.before_migration(clone / "part") == original


def test_a_migration_to_the_package(repo: Path, git: Git) -> None:
    (repo / "requirements.txt").write_text("tensorflow==1.15\n")
    (repo / "net.py").write_text("from tensorflow.contrib import slim\nflat = slim.flatten\n")
    git(repo, "add", "-A", ".")
    git(repo, "commit", "-qm", "original")
    original = head(repo, git)
    migrate(repo, "--support", "package")
    assert not (repo / "tf1_support").exists()
    assert revisions.before_migration(repo) == original  # not committed yet
    git(repo, "add", "-A", ".")
    git(repo, "commit", "-qm", "TensorFlow 2")
    git(repo, "commit", "-q", "--allow-empty", "-m", "more")
    assert revisions.before_migration(repo) == original


def test_the_tree_of_a_revision(repo: Path, git: Git, tmp_path: Path) -> None:
    migrate(repo, "--commit")
    (repo / "weights.ckpt").write_text("not in git\n")
    (repo / "scratch.py").write_text("not in git\n")
    (repo / "venv").mkdir()
    (repo / "venv" / "pyvenv.cfg").write_text("")
    (repo / "sub" / "data.txt").write_text("changed since\n")
    commit = revisions.checkout(repo, "HEAD~1", tmp_path / "x")
    assert len(commit) == 40
    before = revisions.before_migration(repo)
    assert before is not None
    revisions.checkout(repo, before, tmp_path / "out")
    found = {p.relative_to(tmp_path / "out").as_posix(): p.read_text()
             for p in (tmp_path / "out").rglob("*") if p.is_file()}  # fmt: skip
    assert found == {
        "net.py": OLD, "sub/data.txt": "tracked\n", "weights.ckpt": "not in git\n"
    }  # fmt: skip


def test_sides_of_a_clone_of_a_migrated_branch(repo: Path, git: Git, tmp_path: Path) -> None:
    original = head(repo, git)
    migrate(repo, "--commit")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repo.parent), str(clone))
    pair = sides.resolve(clone / "part", None, None, tmp_path / "scratch")
    assert (pair.after, pair.revision) == (clone / "part", original)
    assert (pair.before / "net.py").read_text() == OLD
    named = sides.resolve(clone / "part", None, None, tmp_path / "named", revision="HEAD")
    assert (named.before / "net.py").read_text() == (clone / "part" / "net.py").read_text()


def test_a_revision_that_is_not_there(repo: Path, tmp_path: Path) -> None:
    with pytest.raises(GitError, match="git knows no commit 'nonsense'"):
        revisions.checkout(repo, "nonsense", tmp_path / "x")
    with pytest.raises(sides.SidesError, match="git knows no commit '--output=x'"):
        sides.resolve(repo, None, None, tmp_path, revision="--output=x")
    with pytest.raises(sides.SidesError, match="is not in a git work tree"):
        sides.resolve(tmp_path, None, None, tmp_path / "s", revision="HEAD")


def test_what_was_undone_and_committed_before_is_found_in_git(
    repo: Path, git: Git, tmp_path: Path
) -> None:
    from migrator.cli.undo import command as undo

    original = head(repo, git)
    migrate(repo, "--commit")
    assert CliRunner().invoke(undo, [str(repo)]).exit_code == 0
    git(repo, "checkout", "-q", ".")
    found = sides.resolve(repo, None, None, tmp_path / "scratch")
    assert found.revision == original and (found.before / "net.py").read_text() == OLD


def test_what_was_undone_is_not_migrated(repo: Path, tmp_path: Path) -> None:
    from migrator.cli.undo import command as undo

    migrate(repo)
    assert CliRunner().invoke(undo, [str(repo)]).exit_code == 0
    found = sides.resolve(repo, None, None, tmp_path)
    assert found.before == repo and "tf.layers" not in (found.after / "net.py").read_text()
