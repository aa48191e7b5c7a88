"""Links, pipes and devices in place of files: nothing is read or written through them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.project import tree
from migrator.project.apply import Refused, apply_plan
from migrator.project.paths import UnsafePath
from migrator.project.source import SourceError
from migrator.project.undo import undo
from tests.hostile.attacks import USES, migrator, write
from tests.project.trees import Snapshot, make_tree, plan_for, snapshot

SLIM = "import tensorflow as tf\nslim = tf.contrib.slim\n\ndef net(x):\n  return slim.conv2d(x, 3, 3)\n"


# -- reading


def zero(path: Path, base: Path) -> None:
    path.symlink_to("/dev/zero")


def pipe(path: Path, base: Path) -> None:
    os.mkfifo(path)


def outside(path: Path, base: Path) -> None:
    (base / "secret").write_text("SECRET = 1\n")
    path.symlink_to(base / "secret")


def circle(path: Path, base: Path) -> None:
    path.symlink_to(path.name)


def folder(path: Path, base: Path) -> None:
    path.mkdir()


def huge(path: Path, base: Path) -> None:
    """A file of 100 GB that takes no room."""
    with open(path, "wb") as stream:
        stream.truncate(100 << 30)


INSTEAD = [zero, pipe, outside, circle, folder, huge]
SETTINGS = ["setup.cfg", "pyproject.toml", "migrator.toml"]
# Whatever else is looked at in a tree besides its modules.
READ = [
    "tf1_support/slim.py", "tf1_support/__init__.py", "setup.py", ".gitignore", "pkg/.gitignore",
    "requirements.txt", "environment.yml", "Dockerfile", "pyvenv.cfg", "model.pb", "model.ckpt",
    "pkg/a.ipynb", "own.toml", "known.json", ".migrator/plan.json", ".migrator/verify.json",
    ".migrator/measure.json", ".migrator/predict.json", ".migrator/review.json", ".migrator/lock",
    ".migrator/.gitignore",
]  # fmt: skip


@pytest.mark.parametrize("names", [[name] for name in SETTINGS] + [READ], ids=lambda names: names[0])
@pytest.mark.parametrize("attack", INSTEAD)
def test_what_is_no_file_is_not_read_and_the_rest_goes_on(
    tmp_path: Path, attack: Callable[[Path, Path], None], names: list[str]
) -> None:
    root = tmp_path / "tree"
    write(root, {"pkg/uses.py": USES, "net.py": SLIM})
    for name in names:
        (root / name).parent.mkdir(exist_ok=True)
        attack(root / name, tmp_path)
    for command in (("scan", "--no-cache"), ("migrate", "--diff", "--no-cache"),
                    ("report", "--out", tmp_path / "r.html")):  # fmt: skip
        done = migrator(command[0], root, *command[1:], cwd=tmp_path)
        said = done.stdout + done.stderr
        assert b"Traceback" not in said, (command, said)
        assert b"SECRET" not in said, command
        assert done.returncode in (0, 1, 2, 3), (command, said)
        if command[0] == "migrate":
            assert (b"tf.math.log" in done.stdout) == (names == READ), said
    assert (root / "pkg/uses.py").read_text() == USES


@pytest.mark.parametrize("name", ["own.toml", "known.json"])
@pytest.mark.parametrize("attack", INSTEAD)
def test_what_settings_name_is_read_like_everything_else(
    tmp_path: Path, name: str, attack: Callable[[Path, Path], None]
) -> None:
    root = tmp_path / "tree"
    setting = "rules = ['own.toml']" if name == "own.toml" else "baseline = 'known.json'"
    write(root, {"uses.py": USES, "migrator.toml": f"[migrator]\n{setting}\n"})
    attack(root / name, tmp_path)
    done = migrator("scan", root, "--no-cache", cwd=tmp_path)
    assert done.returncode == 2 and b"Traceback" not in done.stderr, done.stderr
    assert name.encode() in done.stderr and b"SECRET" not in done.stderr


def test_what_is_no_file_is_not_opened_and_what_becomes_one_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening a device may do something by itself; a pipe may come between the look and the opening."""
    write(tmp_path, {"file": "x = 1\n"})
    os.mkfifo(tmp_path / "pipe")
    there = os.open(tmp_path / "pipe", os.O_RDWR)
    os.write(there, b"SECRET\n")
    file, opened, real = os.lstat(tmp_path / "file"), [], os.open

    def opens(name: str, *rest: int, **more: int) -> int:
        opened.append(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(os, "open", opens)
    with tree.Folder.named(tmp_path) as top:
        with pytest.raises(UnsafePath, match="fifo"):
            top.open("pipe")
        assert "pipe" not in opened
        with monkeypatch.context() as patch, pytest.raises(UnsafePath, match="fifo"):
            patch.setattr(os, "stat", lambda *_, **__: file)
            top.open("pipe")
        assert "pipe" in opened
        assert top.head("pipe", 10) == b"" and top.digest("pipe") == ""
    with pytest.raises(SourceError, match="fifo"):
        tree.read_named(tmp_path / "pipe")
    os.close(there)


def test_a_file_that_becomes_a_link_after_it_was_found_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from migrator.engine import plan as planning

    root = tmp_path / "tree"
    write(root, {"uses.py": USES, "swapped.py": USES, "pkg/deep.py": USES})
    write(tmp_path, {"out/deep.py": "import tensorflow as tf\nSECRET = tf.log(1.0)\n"})
    found = planning.survey(root)

    def late(*args: object, **kwargs: object) -> object:
        (root / "swapped.py").unlink(missing_ok=True)
        (root / "swapped.py").symlink_to(tmp_path / "out/deep.py")
        if not (root / "pkg").is_symlink():
            (root / "pkg").rename(root / "gone")
            (root / "pkg").symlink_to(tmp_path / "out")
        return found

    monkeypatch.setattr(planning, "survey", late)
    plan = build_plan(root, Options(jobs=1))
    assert [result.path for result in plan.changed] == ["uses.py"]
    assert {result.path for result in plan.failed} == {"swapped.py", "pkg/deep.py"}
    assert not any("SECRET" in result.old_text for result in plan.files)


def test_a_link_is_not_even_looked_through(tmp_path: Path) -> None:
    """Looking at what lies behind may call an automounter, and with it a machine elsewhere."""
    root = tmp_path / "tree"
    write(root, {"uses.py": USES})
    write(tmp_path, {"out/deep.py": USES})
    (root / "folder.py").symlink_to(tmp_path / "out")
    (root / "file.py").symlink_to(tmp_path / "out/deep.py")
    (root / "up.py").symlink_to("../out/deep.py")
    (root / "gone.py").symlink_to("/net/nowhere/x.py")
    (root / "hop.py").symlink_to("gone.py")
    plan = build_plan(root, Options(jobs=1))
    said = {result.path: result.error for result in plan.files if result.error}
    assert set(said) == {"folder.py", "file.py", "up.py", "gone.py", "hop.py"}
    assert all("out of the tree" in error for error in said.values()), said


def test_what_links_point_to_outside_is_never_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("import tensorflow as tf\nSECRET = tf.log(1.0)\n")
    (outside / "setup.cfg").write_text("[migrator]\nselect = TF1\n")
    root = tmp_path / "tree"
    root.mkdir()
    (root / "uses.py").write_text(USES)
    (root / "link.py").symlink_to(outside / "secret.py")
    (root / "folder").symlink_to(outside)
    (root / "requirements.txt").symlink_to(outside / "secret.py")
    os.mkfifo(root / "pipe.py")
    os.mkfifo(root / "requirements-dev.txt")
    (root / "zero.py").symlink_to("/dev/zero")
    before = snapshot(outside)
    plan = build_plan(root, Options(jobs=1))
    assert "SECRET" not in json.dumps([f.old_text for f in plan.files])
    assert [f.path for f in plan.changed] == ["uses.py"]
    apply_plan(plan)
    assert snapshot(outside) == before


# -- writing


STATE = [
    ".migrator", ".migrator/journal", ".migrator/lock", ".migrator/.gitignore", ".migrator/plan.json",
    ".migrator/plan.json.tmp", ".migrator/review.json", ".migrator/review.json.tmp", ".migrator/kept",
    ".migrator/report.html", ".migrator/report.html.part", ".migrator/report-review.html",
    ".migrator/report-review.html.part",
]  # fmt: skip


@pytest.mark.parametrize("name", STATE)
@pytest.mark.parametrize("target", ["file", "folder", "nothing"])
def test_no_state_is_written_through_a_link(tmp_path: Path, name: str, target: str) -> None:
    root, out = tmp_path / "tree", tmp_path / "out"
    write(root, {"uses.py": USES})
    write(out, {"file": "precious\n", "folder/file": "precious\n"})
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).symlink_to(out / target)
    before = snapshot(out)
    for command in (("migrate",), ("report",), ("undo", "--force"), ("migrate", "--interactive")):
        done = migrator(command[0], root, *command[1:], cwd=tmp_path, given=b"n\n" * 9)
        assert snapshot(out) == before, (command, done.stderr)
        assert b"Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize("attack", INSTEAD)
def test_what_a_killed_run_left_may_be_anything(
    tmp_path: Path, attack: Callable[[Path, Path], None]
) -> None:
    """It is removed without being opened."""
    root = tmp_path / "tree"
    write(root, {"uses.py": USES, ".migrator/journal/unfinished-2/old-0": "x = 1\n"})
    left = root / ".migrator/journal"
    for name in ("unfinished-1", "unfinished-2/old-1"):
        attack(left / name, tmp_path)
    for command in ("migrate", "undo"):
        done = migrator(command, root, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert not [path for path in left.iterdir() if path.name.startswith("unfinished")]
    assert (root / "uses.py").read_text() == USES
    if (tmp_path / "secret").exists():
        assert (tmp_path / "secret").read_text() == "SECRET = 1\n"


def edited(root: Path) -> None:
    """A file that a person changed after the run, so that `undo --force` keeps it."""
    (root / "pkg0/m0.py").write_text("mine\n")


def link_kept(root: Path, out: Path, run: str) -> None:
    (root / ".migrator/kept").symlink_to(out)


def link_run(root: Path, out: Path, run: str) -> None:
    (root / ".migrator/kept").mkdir()
    (root / ".migrator/kept" / run).symlink_to(out)


def link_folder(root: Path, out: Path, run: str) -> None:
    (root / ".migrator/kept" / run).mkdir(parents=True)
    (root / ".migrator/kept" / run / "pkg0").symlink_to(out)


def link_leaf(root: Path, out: Path, run: str) -> None:
    (root / ".migrator/kept" / run / "pkg0").mkdir(parents=True)
    (root / ".migrator/kept" / run / "pkg0/m0.py").symlink_to(out / "pkg0/m0.py")


def hard_leaf(root: Path, out: Path, run: str) -> None:
    (root / ".migrator/kept" / run / "pkg0").mkdir(parents=True)
    os.link(out / "pkg0/m0.py", root / ".migrator/kept" / run / "pkg0/m0.py")


@pytest.mark.parametrize("attack", [link_kept, link_run, link_folder, link_leaf, hard_leaf])
def test_what_undo_keeps_stays_in_the_tree(
    tmp_path: Path, attack: Callable[[Path, Path, str], None]
) -> None:
    root, out = tmp_path / "tree", tmp_path / "out"
    make_tree(root, 3)
    write(out, {"pkg0/m0.py": "precious\n", "m0.py": "precious\n"})
    run = apply_plan(plan_for(root)).run_id
    edited(root)
    attack(root, out, run)
    before = snapshot(out)
    undone = undo(root, force=True)
    assert snapshot(out) == before
    assert set(undone.restored) >= {"pkg1/m1.py", "pkg2/m2.py"}
    kept = (root / "pkg0/m0.py").read_text() == "mine\n"
    assert kept == ("pkg0/m0.py" in dict(undone.conflicts))


@pytest.mark.parametrize("name", [".migrator/lock", ".migrator/.gitignore", ".migrator/plan.json"])
def test_another_name_of_a_precious_file_is_not_written(tmp_path: Path, name: str) -> None:
    """A hard link is no link to look at: what is written in place is written elsewhere."""
    root = tmp_path / "tree"
    write(root, {"uses.py": USES})
    (tmp_path / "precious").write_text("precious\n")
    (root / ".migrator").mkdir()
    os.link(tmp_path / "precious", root / name)
    done = migrator("migrate", root, cwd=tmp_path)
    assert (tmp_path / "precious").read_text() == "precious\n"
    assert b"Traceback" not in done.stderr
    assert (tmp_path / "precious").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize(
    "option", ["--sarif", "--junit", "--summary", "--patch", "--review", "--plan", "--write-baseline"]
)
def test_what_is_written_into_the_tree_goes_through_no_link(
    tmp_path: Path, option: str, folder: bool
) -> None:
    """The tree may have a link where people are used to write their results."""
    root, out = tmp_path / "tree", tmp_path / "out"
    write(root, {"uses.py": USES})
    write(out, {"result": "precious\n"})
    (root / "results").symlink_to(out if folder else out / "result")
    place = "results/result" if folder else "results"
    before = snapshot(out)
    for name in (place, str(root / place)):
        done = migrator("migrate", root, "--diff" if option != "--patch" else "--no-cache", option,
                        name, cwd=root)  # fmt: skip
        assert snapshot(out) == before, done.stderr
        assert b"Traceback" not in done.stderr, done.stderr
    done = migrator("migrate", root, option, tmp_path / "fresh", cwd=tmp_path)
    assert (tmp_path / "fresh").stat().st_size, done.stderr


def test_what_is_written_elsewhere_goes_where_a_person_says(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    write(root, {"uses.py": USES})
    (tmp_path / "link").symlink_to(tmp_path / "target")
    migrator("migrate", root, "--diff", "--summary", tmp_path / "link", cwd=tmp_path)
    assert (tmp_path / "link").is_symlink() and "TensorFlow 2" in (tmp_path / "target").read_text()
    done = migrator("migrate", root, "--diff", "--summary", "/dev/stdout", cwd=tmp_path)
    assert b"TensorFlow 2 migration" in done.stdout


def test_a_copy_has_only_what_lies_in_the_tree(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    write(root, {"uses.py": USES, "pkg/data.txt": "x"})
    write(tmp_path, {"out/secret.txt": "SECRET"})
    (root / "a").symlink_to(tmp_path / "out")
    (root / "b").symlink_to("../out/secret.txt")
    (root / "c").symlink_to("pkg/data.txt")
    (root / "d").symlink_to("a/secret.txt")
    (root / "pkg/e").symlink_to(root / "pkg/data.txt")
    (root / "pkg/f").symlink_to("f")
    os.mkfifo(root / "g")
    done = migrator("migrate", root, "--out", tmp_path / "copy", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    copied = snapshot(tmp_path / "copy")
    assert {n for n, (kind, _, _) in copied.items() if kind == "l"} == {"c", "pkg/e"}
    assert "g" not in copied and b"SECRET" not in b"".join(c for _, _, c in copied.values())
    assert (tmp_path / "copy/pkg/e").read_text() == "x"


def before_and_after(root: Path) -> tuple[Snapshot, Snapshot]:
    """Snapshots around a plan that is written and undone, for tests of what is left behind."""
    before = snapshot(root)
    apply_plan(plan_for(root))
    undo(root)
    return before, snapshot(root)


def test_refusals_leave_the_tree_alone(tmp_path: Path) -> None:
    make_tree(tmp_path, 2)
    os.mkfifo(tmp_path / ".migrator")
    before = snapshot(tmp_path)
    with pytest.raises(Refused):
        apply_plan(plan_for(tmp_path))
    assert snapshot(tmp_path) == before
    (tmp_path / ".migrator").unlink()
    assert before_and_after(tmp_path)[0] == snapshot(tmp_path)
