"""Repositories whose git configuration runs programs: nothing of it is ever run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile.attacks import USES, git, migrator, repository, write


def program(mark: Path) -> str:
    """A command that leaves a mark, and passes on what it is given."""
    script = mark.with_name("program")
    script.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    return str(script)


def _filter(root: Path, mark: Path) -> str:
    return f'[filter "x"]\n\tclean = {program(mark)}\n\tsmudge = {program(mark)}\n'


def include(root: Path, mark: Path) -> None:
    """A clean filter in a file that .git/config includes."""
    (mark.parent / "included").write_text(_filter(root, mark))
    _append(root / ".git/config", f"[include]\n\tpath = {mark.parent / 'included'}\n")


def include_if(root: Path, mark: Path) -> None:
    """The same, included on a condition."""
    (root / ".git/included").write_text(_filter(root, mark))
    _append(root / ".git/config", '[includeIf "gitdir:**"]\n\tpath = included\n')


def worktree_config(root: Path, mark: Path) -> None:
    """A clean filter in the configuration of a work tree."""
    _append(root / ".git/config", "[extensions]\n\tworktreeConfig = true\n")
    (root / ".git/config.worktree").write_text(_filter(root, mark))


def local(root: Path, mark: Path) -> None:
    """A clean filter in .git/config itself, by an odd name."""
    text = _filter(root, mark).replace('"x"', '"x.y \\"z=1"')
    _append(root / ".git/config", text + _filter(root, mark))


def process(root: Path, mark: Path) -> None:
    """A filter that is one long process."""
    _append(root / ".git/config", f'[filter "x"]\n\tprocess = {program(mark)}\n\trequired = true\n')


def fsmonitor(root: Path, mark: Path) -> None:
    """A program that says which files have changed."""
    _append(root / ".git/config", f"[core]\n\tfsmonitor = {program(mark)}\n")


def hooks(root: Path, mark: Path) -> None:
    """Hooks in .git/hooks, and in a folder that the configuration names."""
    folder = root / "own-hooks"
    folder.mkdir()
    script = program(mark)
    for name in ("post-index-change", "reference-transaction", "pre-commit", "post-commit"):
        shutil.copy(script, root / ".git/hooks" / name)
        shutil.copy(script, folder / name)
    _append(root / ".git/config", f"[core]\n\thooksPath = {folder}\n")
    _append(root / ".git/info/exclude", "own-hooks/\n")


def drivers(root: Path, mark: Path) -> None:
    """Programs that show differences, page, edit, sign, fetch and know passwords."""
    script = program(mark)
    _append(root / ".git/config", (
        f"[diff]\n\texternal = {script}\n[diff \"x\"]\n\ttextconv = {script}\n\tcommand = {script}\n"
        f"[core]\n\tpager = {script}\n\teditor = {script}\n\tsshCommand = {script}\n"
        f"\talternateRefsCommand = {script}\n\taskPass = {script}\n[gpg]\n\tprogram = {script}\n"
        f"[commit]\n\tgpgSign = true\n[credential]\n\thelper = {script}\n"
        f"[alias]\n\tstatus = !{script}\n\tls-files = !{script}\n[pager]\n\tstatus = {script}\n"
    ))  # fmt: skip


def promisor(root: Path, mark: Path) -> None:
    """An object that is missing here and promised by a program elsewhere."""
    script = program(mark)
    blob = git(root, "rev-parse", "HEAD:uses.py").strip()
    (root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    _append(root / ".git/config", (
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
        f'[remote "origin"]\n\turl = ext::{script}\n\tpromisor = true\n\tuploadpack = {script}\n'
        '[protocol "ext"]\n\tallow = always\n'
    ))  # fmt: skip


ATTACKS = [
    include, include_if, worktree_config, local, process, fsmonitor, hooks, drivers, promisor
]  # fmt: skip
COMMANDS = [
    ("migrate",), ("migrate", "--diff", "--since", "HEAD"), ("migrate", "--commit"),
    ("scan", "--since", "HEAD~0"), ("doctor",),
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("attack", ATTACKS)
def test_configuration_runs_nothing(
    tmp_path: Path, attack: Callable[[Path, Path], None], command: tuple[str, ...]
) -> None:
    root = repository(tmp_path / "tree", {"uses.py": USES, ".gitattributes": "*.py filter=x diff=x\n"})
    mark = tmp_path / "MARK"
    attack(root, mark)
    os.utime(root / "uses.py", (1, 1))  # git would look at the content again
    done = migrator(command[0], root, *command[1:], cwd=tmp_path)
    assert not mark.exists()
    assert b"Traceback" not in done.stderr
    if attack is not promisor:
        assert done.returncode in (0, 1), done.stderr


def test_the_attacks_are_real(tmp_path: Path) -> None:
    """Plain git runs the program of most of them; else the tests above would prove nothing."""
    for attack in (include, include_if, worktree_config, local, process, fsmonitor, hooks):
        base = tmp_path / attack.__name__
        base.mkdir()
        root = repository(base / "tree", {"uses.py": USES, ".gitattributes": "*.py filter=x\n"})
        attack(root, base / "MARK")
        os.utime(root / "uses.py", (1, 1))
        subprocess.run(["git", "status"], cwd=root, capture_output=True, check=False)
        assert (base / "MARK").exists(), attack


def test_configuration_of_the_environment_runs_nothing(tmp_path: Path) -> None:
    root = repository(tmp_path / "tree", {"uses.py": USES, ".gitattributes": "*.py filter=x\n"})
    mark = tmp_path / "MARK"
    script = program(mark)
    os.utime(root / "uses.py", (1, 1))
    (tmp_path / "config").write_text(f"[core]\n\tfsmonitor = {script}\n" + _filter(root, mark))
    env = {
        "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "filter.x.clean", "GIT_CONFIG_VALUE_0": script,
        "GIT_CONFIG_KEY_1": "core.fsmonitor", "GIT_CONFIG_VALUE_1": script,
        "GIT_CONFIG_GLOBAL": str(tmp_path / "config"), "GIT_CONFIG_SYSTEM": str(tmp_path / "config"),
        "GIT_EXTERNAL_DIFF": script, "GIT_PAGER": script, "GIT_EDITOR": script,
        "GIT_EXEC_PATH": str(tmp_path), "GIT_SSH_COMMAND": script, "GIT_ASKPASS": script,
        "GIT_DIR": str(tmp_path / "elsewhere"), "GIT_INDEX_FILE": "/dev/zero",
    }  # fmt: skip
    done = migrator("migrate", root, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert not mark.exists()


def test_a_git_program_that_lies_in_the_tree_is_not_run(tmp_path: Path) -> None:
    """A PATH with an empty entry, or a dot, finds programs where one stands."""
    root = repository(tmp_path / "tree")
    mark = tmp_path / "MARK"
    shutil.copy(program(mark), root / "git")
    shutil.copy(program(mark), root / "sh")
    for name in ("python3.7", "python3.6"):
        shutil.copy(program(mark), root / name)
    for folder in (".", "", root):
        for command in ("scan", "migrate", "doctor"):
            if command == "doctor" and folder == root:
                continue  # whoever names the tree in the PATH means the interpreters in it
            path = f"{folder}{os.pathsep}{os.environ['PATH']}"
            migrator(command, root, cwd=root, env={"PATH": path})
            assert not mark.exists(), (folder, command)


@pytest.mark.parametrize("name", ["HEAD", "index", "packed-refs", "config", "objects/info/alternates"])
@pytest.mark.parametrize("kind", ["fifo", "zero"])
def test_what_git_would_read_without_end_is_refused_at_once(
    tmp_path: Path, name: str, kind: str
) -> None:
    root = repository(tmp_path / "tree")
    place = root / ".git" / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero")
    done = migrator("migrate", root, cwd=tmp_path)
    assert done.returncode == 4 and b"Traceback" not in done.stderr, done.stderr
    assert b"--allow-dirty" in done.stderr
    assert (root / "uses.py").read_text() == USES


def test_an_included_file_without_end_is_not_read(tmp_path: Path) -> None:
    root = repository(tmp_path / "tree")
    os.mkfifo(tmp_path / "pipe")
    _append(root / ".git/config", f"[include]\n\tpath = {tmp_path / 'pipe'}\n\tpath = /dev/zero\n")
    assert migrator("migrate", root, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("name", [".gitattributes", ".gitignore", ".mailmap", ".gitmodules"])
def test_pipes_in_the_work_tree_do_not_hold_anything_up(tmp_path: Path, name: str) -> None:
    root = repository(tmp_path / "tree")
    (root / "sub").mkdir()
    os.mkfifo(root / "sub" / name)
    os.mkfifo(root / name)
    os.utime(root / "uses.py", (1, 1))
    done = migrator("migrate", root, "--allow-dirty", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


# -- a .git that leads elsewhere


def test_commits_go_into_no_repository_that_does_not_know_the_tree(tmp_path: Path) -> None:
    """A `.git` file, or link, may name any repository of the disk."""
    other = repository(tmp_path / "other")
    before = git(other, "rev-parse", "HEAD"), sorted(p.name for p in (other / ".git/objects").iterdir())
    for kind in ("file", "link"):
        root = tmp_path / kind
        write(root, {"uses.py": USES})
        if kind == "file":
            (root / ".git").write_text(f"gitdir: {other / '.git'}\n")
        else:
            (root / ".git").symlink_to(other / ".git")
        done = migrator("migrate", root, "--commit", cwd=tmp_path)
        assert done.returncode == 4, done.stderr
        assert (root / "uses.py").read_text() == USES
    after = git(other, "rev-parse", "HEAD"), sorted(p.name for p in (other / ".git/objects").iterdir())
    assert after == before


def test_commits_are_made_in_a_work_tree_of_its_own(tmp_path: Path) -> None:
    """Which is what a `.git` file is for."""
    main = repository(tmp_path / "main")
    git(main, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    done = migrator("migrate", tmp_path / "side", "--commit", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tf.math.log" in git(main, "show", "side:uses.py")
    assert "tf.math.log" not in git(main, "show", "main:uses.py")
    assert git(tmp_path / "side", "status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["objects", "refs"])
def test_no_object_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    root = repository(tmp_path / "tree")
    (root / ".git" / name).rename(tmp_path / name)
    (root / ".git" / name).symlink_to(tmp_path / name)
    before = sorted(p.relative_to(tmp_path) for p in (tmp_path / name).rglob("*"))
    done = migrator("migrate", root, "--commit", cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    assert sorted(p.relative_to(tmp_path) for p in (tmp_path / name).rglob("*")) == before


def test_a_folder_that_looks_like_a_bare_repository_is_only_a_folder(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    write(root, {"pkg/uses.py": USES})
    git(tmp_path, "init", "-q", "--bare", str(root / "pkg"))
    mark = tmp_path / "MARK"
    _append(root / "pkg/config", f"[core]\n\tfsmonitor = {program(mark)}\n\tworktree = .\n")
    done = migrator("migrate", root / "pkg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not mark.exists()
    assert "tf.math.log" in (root / "pkg/uses.py").read_text()


# -- what git says stays right


def test_uncommitted_changes_of_every_kind_are_seen(tmp_path: Path) -> None:
    files = {"uses.py": USES, "other.py": "x = 1\n", "data.bin": "d", "run.sh": "#!/bin/sh\n"}

    def changed(root: Path) -> None:
        (root / "other.py").write_text("x = 2\n")

    def same_size_and_time(root: Path) -> None:
        status = (root / "other.py").stat()
        (root / "other.py").write_text("x = 2\n")
        os.utime(root / "other.py", ns=(status.st_atime_ns, status.st_mtime_ns))

    def staged(root: Path) -> None:
        changed(root)
        git(root, "add", "other.py")

    def added(root: Path) -> None:
        (root / "new.py").write_text("x = 1\n")
        git(root, "add", "new.py")

    def untracked(root: Path) -> None:
        (root / "pkg").mkdir()
        (root / "pkg/new.txt").write_text("x")

    def removed(root: Path) -> None:
        (root / "data.bin").unlink()

    def removed_in_index(root: Path) -> None:
        git(root, "rm", "-q", "--cached", "data.bin")
        _append(root / ".git/info/exclude", "data.bin\n")

    def mode(root: Path) -> None:
        (root / "run.sh").chmod(0o755)

    def kind(root: Path) -> None:
        (root / "data.bin").unlink()
        (root / "data.bin").symlink_to("run.sh")

    for change in (changed, same_size_and_time, staged, added, untracked, removed, removed_in_index,
                   mode, kind):  # fmt: skip
        root = repository(tmp_path / change.__name__, files)
        change(root)
        done = migrator("migrate", root, cwd=tmp_path)
        assert done.returncode == 4 and b"uncommitted" in done.stderr, (change, done.stderr)


def test_what_is_the_same_to_git_is_clean(tmp_path: Path) -> None:
    def touched(root: Path) -> None:
        os.utime(root / "uses.py", (1, 1))

    def line_ends(root: Path) -> None:
        git(root, "config", "core.autocrlf", "true")
        (root / "other.py").unlink()
        git(root, "checkout", "-q", "--", "other.py")
        assert b"\r\n" in (root / "other.py").read_bytes()
        os.utime(root / "other.py", (1, 1))

    def ignored(root: Path) -> None:
        _append(root / ".git/info/exclude", "*.log\n")
        (root / "run.log").write_text("x")

    def index_of_version_4(root: Path) -> None:
        git(root, "update-index", "--index-version", "4")

    def split_index(root: Path) -> None:
        git(root, "update-index", "--split-index")

    def sparse(root: Path) -> None:
        git(root, "sparse-checkout", "set", "--no-cone", "/*", "!/folder/")
        assert not (root / "folder").exists()

    def packed(root: Path) -> None:
        git(root, "gc", "-q")

    def assumed(root: Path) -> None:
        git(root, "update-index", "--assume-unchanged", "other.py")
        (root / "other.py").write_text("mine\n")

    def linked(root: Path) -> None:
        (root / "link").symlink_to("uses.py")
        git(root, "add", "link")
        git(root, "commit", "-q", "-m", "link")

    def empty_folder(root: Path) -> None:
        (root / "empty/empty").mkdir(parents=True)

    files = {"uses.py": USES, "other.py": "x = 1\ny = 2\n", "folder/a.py": "x = 1\n"}
    for change in (touched, line_ends, ignored, index_of_version_4, split_index, sparse, packed,
                   assumed, linked, empty_folder):  # fmt: skip
        root = repository(tmp_path / change.__name__, files)
        change(root)
        done = migrator("migrate", root, "--commit", cwd=tmp_path)
        assert done.returncode == 0, (change, done.stderr)
        assert git(root, "status", "--porcelain") == "", change
        assert "tf.math.log" in git(root, "show", "HEAD:uses.py"), change


def _append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as stream:
        stream.write(text)
