"""Working copies of the two trees, in which commands are run, and what a command leaves in one."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from migrator.project.paths import STATE_FOLDER
from migrator.verify.children import COMPAT_RUNTIME, PROGRAMS, Side, environment, why
from migrator.workload import child
from migrator.workload.spec import Workload

SITE = PROGRAMS / "every_python"
SHAKE = 1e-6  # relative change of drawn and restored floats, see programs/verify_draws.py
_LEFT_OUT = frozenset({".git", ".hg", ".svn", STATE_FOLDER, "__pycache__"})
_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
_PYTHONS = ("python", "python2", "python2.7", "python3", *(f"python3.{n}" for n in range(5, 15)))
_READ_LIMIT = 32 << 20  # bytes of a program's output that are compared


class WorkspaceError(RuntimeError):
    """A working copy could not be made; the message says why."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run of a command left.

    error: why there is nothing to compare, with the end of the log; "" if it ended with 0.
    stdout, stderr: what it printed. frames: "file:line" of the repository in the last traceback,
      innermost last. written: files it made or changed, relative to the working
      copy; those below {out} begin with that. tensorflow: versions that its processes imported.
      traces: of each tf.function of the repository, see programs/verify_traces.py.
    """

    error: str = ""
    status: str = "ok"
    seconds: float = 0.0
    stdout: str = ""
    stderr: str = ""
    frames: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    tensorflow: frozenset[str] = frozenset()
    traces: tuple[dict[str, Any], ...] = ()


@dataclass
class WorkingCopy:
    """A copy of one side's tree that commands may write into.

    folder holds the copy (`tree`), what stands in for interpreters, and logs. env is for every
    command. Commands find what earlier ones wrote.
    """

    side: Side
    folder: Path
    env: Mapping[str, str] = field(default_factory=dict)
    runs: int = 0

    def __post_init__(self) -> None:
        self.tree = self.folder / "tree"
        self.out = self.folder / "out"
        try:
            copy_tree(self.side.root, self.tree)
            for made in (self.out, self.folder / "bin", self.folder / "notes"):
                made.mkdir(parents=True)
            _interpreters(self.folder / "bin", self.side.python)
        except (OSError, shutil.Error) as error:
            raise WorkspaceError(f"a working copy of {self.side.root}: {error}") from error

    @property
    def inside(self) -> Side:
        """The side, with the copy in the place of its tree."""
        return Side(self.tree, self.side.name, self.side.python)

    def path(self, written: str) -> Path:
        """The file behind a name in `Ran.written`."""
        if written.startswith("{out}/"):
            return self.out / written[len("{out}/") :]
        return self.tree / written

    def run(self, workload: Workload) -> Ran:
        """Runs the workload's command in the copy, by the shell."""
        self.runs += 1
        known = _files(self)
        notes = self.folder / "notes" / str(self.runs)
        notes.mkdir()
        streams = self.folder / f"stdout.{self.runs}", self.folder / f"stderr.{self.runs}"
        env = environment(workload, {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "PYTHONUNBUFFERED": "1", "MIGRATOR_VERIFY_SIDE": self.side.name,
            "MIGRATOR_VERIFY_COMPAT": str(COMPAT_RUNTIME), "MIGRATOR_VERIFY_NOTES": str(notes),
            "MIGRATOR_VERIFY_ROOT": str(self.tree), "MIGRATOR_VERIFY_DRAWS": "same",
            **self.env, **workload.env,
        })  # fmt: skip
        argv = command_line(workload, self.out)
        outcome = child.run(argv, self.tree, env, workload.timeout, streams=streams)
        now = _files(self)
        written = tuple(sorted(k for k, v in now.items() if known.get(k) != v))
        stdout, stderr = map(_text, streams)
        versions, traces = _notes(notes)
        error = "" if outcome.ok else _why(outcome, workload.timeout, stderr)
        return Ran(
            error, outcome.status, outcome.seconds, stdout, stderr,
            frames(stderr, self.tree) if error else (), written, versions, traces,
        )  # fmt: skip


def _why(outcome: child.Outcome, timeout: float, log: str) -> str:
    """Why a command failed, ending with what was raised: TF1 prints long traces after that."""
    said = why(outcome, timeout)
    raised = re.findall(r"^\w[\w.]*(?:Error|Exception|Interrupt): .*", log, re.M)
    if raised and raised[-1][:200] not in said:
        said += "\n" + child.printable(raised[-1][:500].encode())
    return said


def command_line(workload: Workload, out: Path) -> list[str]:
    """The shell command with its placeholders replaced; line ends count as blanks."""
    text = " ".join(workload.command.split())
    for hole, value in (
        ("{python}", "python"), ("{out}", shlex.quote(str(out))), ("{batch}", str(workload.batch)),
    ):  # fmt: skip
        text = text.replace(hole, value)
    return ["/bin/sh", "-c", text]


def copy_tree(root: Path, target: Path) -> None:
    """Copies a tree without its history, caches and virtual environments; links stay links."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        return {
            n for n in names if n in _LEFT_OUT
            or any(os.path.exists(os.path.join(folder, n, mark)) for mark in _ENVIRONMENTS)
            or not _copied(os.path.join(folder, n))
        }  # fmt: skip

    shutil.copytree(root, target, symlinks=True, ignore=left_out)
    # Links that led out of the tree by a relative path still lead there.
    for folder, folders, files in os.walk(target):
        for name in folders + files:
            path = Path(folder, name)
            if path.is_symlink() and not path.exists():
                original = root / path.relative_to(target)
                if original.exists():
                    path.unlink()
                    path.symlink_to(original.resolve())


def _copied(path: str) -> bool:
    """Whether it is a file, folder or link: no pipes, sockets and devices."""
    return os.path.islink(path) or os.path.isfile(path) or os.path.isdir(path)


def _interpreters(folder: Path, python: str) -> None:
    """`python` and its like: the side's interpreter, which loads programs/every_python."""
    set_path = f"PYTHONPATH={shlex.quote(str(SITE))}${{PYTHONPATH:+:$PYTHONPATH}} exec"
    for name in (*_PYTHONS, "pytest"):
        module = " -m pytest" if name == "pytest" else ""
        path = folder / name
        path.write_text(f'#!/bin/sh\n{set_path} {shlex.quote(python)}{module} "$@"\n')
        path.chmod(0o755)


def _files(copy: WorkingCopy) -> dict[str, tuple[int, int, int]]:
    """(inode, size, time of change) of every file of the copy and below {out}."""
    found = {}
    for top, prefix in ((copy.tree, ""), (copy.out, "{out}/")):
        for folder, folders, names in os.walk(top):
            folders[:] = [n for n in folders if n not in _LEFT_OUT]
            for name in names:
                path = os.path.join(folder, name)
                try:
                    known = os.lstat(path)
                except OSError:
                    continue
                relative = os.path.relpath(path, top).replace(os.sep, "/")
                found[prefix + relative] = known.st_ino, known.st_size, known.st_mtime_ns
    return found


def frames(log: str, tree: Path) -> tuple[str, ...]:
    """The repository's lines in the last traceback of a log, as file:line, the innermost last."""
    _, begin, last = log.rpartition("Traceback (most recent call last)")
    if not begin:
        return ()
    top = os.path.realpath(tree)
    found = []
    for path, line in re.findall(r'^ +File "([^"<][^"]*)", line (\d+)', last, re.M):
        whole = os.path.realpath(os.path.join(top, path))
        if whole.startswith(top + os.sep):
            found.append(f"{os.path.relpath(whole, top).replace(os.sep, '/')}:{line}")
    return tuple(found)


def _notes(folder: Path) -> tuple[frozenset[str], tuple[dict[str, Any], ...]]:
    versions, traces = set(), []
    for path in sorted(folder.glob("*.json")):
        said = json.loads(path.read_text(encoding="utf-8"))
        if path.name.startswith("tensorflow."):
            versions.add(said["tensorflow"])
        else:
            traces += said
    return frozenset(versions), tuple(traces)


def _text(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.read(_READ_LIMIT).decode("utf-8", errors="replace")
