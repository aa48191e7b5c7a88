"""Trees and plans for the tests of apply and undo, made without the engine."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from migrator.model import Change, FileResult, Plan, Status
from migrator.project.journal import sha256
from migrator.project.marker import GENERATED_MARKER
from migrator.project.source import SourceFile, decode

Snapshot = dict[str, tuple[str, int, bytes]]


def snapshot(root: Path) -> Snapshot:
    """Kind, mode and content of everything in a tree but migrator's own folder and git's."""
    found: Snapshot = {}
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - {".migrator", ".git"})
        for name in (*folders, *files):
            path = Path(folder) / name
            status = path.lstat()
            kind = stat.filemode(status.st_mode)[0]
            content = path.read_bytes() if kind == "-" else b""
            if kind == "l":
                content = os.fsencode(os.readlink(path))
            found[str(path.relative_to(root))] = (kind, stat.S_IMODE(status.st_mode), content)
    return found


def make_tree(root: Path, count: int = 12) -> None:
    """Source files in several encodings, line ends and modes, and files that no plan touches."""
    for number in range(count):
        path = root / f"pkg{number % 3}" / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        body = f"import tensorflow as tf\nx{number} = tf.log(1.0)\n" + "# filler\n" * (50 * number)
        data = [
            body.encode(),
            body.replace("\n", "\r\n").encode(),
            b"\xef\xbb\xbf" + body.encode(),
            b"# coding: latin-1\n# \xe9\xe8\n" + body.encode(),
            body.rstrip("\n").encode(),
        ][number % 5]
        path.write_bytes(data)
        path.chmod(0o755 if number % 4 == 0 else 0o640)
    (root / "data.bin").write_bytes(os.urandom(2000))
    (root / "same.py").write_text("x = 1\n")


def plan_for(root: Path, *, support: bool = True) -> Plan:
    """A plan that renames tf.log in every file of `make_tree`, with a support package."""
    results = []
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        source: SourceFile = decode(path.read_bytes(), path)
        new = source.text.replace("tf.log(", "tf.math.log(")
        changed = new != source.text
        results.append(
            FileResult(
                relative,
                Status.CHANGED if changed else Status.UNCHANGED,
                source.sha256,
                source.text,
                new if changed else None,
                (Change("TF101", 2, 2, "tf.log is tf.math.log"),) if changed else (),
            )
        )
    files: tuple[tuple[str, str], ...] = ()
    if support:
        head = f"{GENERATED_MARKER} by migrator\n"
        files = (
            ("tf1_support/__init__.py", head),
            ("tf1_support/deep/scopes.py", head + "x = 1\n"),
        )
    return Plan(str(root), tuple(results), files, tool_version="0.1.0")


def expected_after(root: Path, plan: Plan, before: Snapshot) -> Snapshot:
    """What `snapshot` must be once `plan` is written."""
    after = dict(before)
    for result in plan.changed:
        kind, mode, content = before[result.path]
        after[result.path] = (kind, mode, content.replace(b"tf.log(", b"tf.math.log("))
    return after


__all__ = ["Snapshot", "expected_after", "make_tree", "plan_for", "sha256", "snapshot"]
