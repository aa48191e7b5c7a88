"""What git knows about a tree: tracked files, uncommitted changes. Git is asked, never trusted.

A repository that was unpacked from an archive can carry a `.git/config` that makes git run
programs (`core.fsmonitor`, clean filters, hooks). Every call switches those off, so that looking at
a tree executes nothing that came with it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 120.0  # seconds; a status of a large monorepo on a cold disk

_SAFE = (
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.untrackedCache=false",
    "-c", "core.pager=cat",
    "-c", "core.quotePath=false",
    "-c", "diff.external=",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GitState:
    """`top` is the work tree's root, None where there is none (or no git: `note` says so).

    `dirty` are paths with uncommitted changes as porcelain status lines (`` M a.py``).
    """

    top: Path | None
    dirty: tuple[str, ...] = ()
    note: str = ""


class GitError(RuntimeError):
    """Git is there, but could not answer; the message is git's own."""


def _environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return {
        **kept,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }


def git(
    where: Path, *arguments: str, given: bytes | None = None,
    environment: Mapping[str, str] | None = None, accept: tuple[int, ...] = (0,),
) -> bytes:  # fmt: skip
    """What git prints. `given` goes to its standard input, `environment` is added to its own.

    Raises GitError for an exit code that is not in `accept`, FileNotFoundError without git.
    """
    program = shutil.which("git")
    if program is None:
        raise FileNotFoundError("git is not installed")
    try:
        done = subprocess.run(
            [program, *_SAFE, *arguments],
            cwd=where,
            env={**_environment(), **(environment or {})},
            capture_output=True,
            stdin=subprocess.DEVNULL if given is None else None,
            input=given,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git {arguments[-1]} took over {TIMEOUT:.0f} s in {where}") from error
    if done.returncode not in accept:
        raise GitError(done.stderr.decode("utf-8", "replace").strip() or f"exit {done.returncode}")
    return done.stdout


def work_tree(path: Path) -> Path | None:
    """The root of the git work tree that `path` lies in, found by looking for `.git` upwards."""
    path = path.resolve()
    for folder in (path, *path.parents):
        if (folder / ".git").exists():
            return folder
    return None


def tracked(root: Path) -> frozenset[str] | None:
    """Paths below `root` that git tracks, relative to it with ``/``; None where git cannot say.

    Submodules are one path each, without what is in them.
    """
    if work_tree(root) is None:
        return None
    try:
        listed = git(root, "ls-files", "-z", "--cached")
    except (GitError, OSError):
        return None
    return frozenset(os.fsdecode(name) for name in listed.split(b"\0") if name)


def changed_since(root: Path, revision: str) -> frozenset[str]:
    """Paths below `root`, relative to it, that differ from `revision` or are not tracked.

    Raises GitError: no work tree, no such revision.
    """
    top = work_tree(root)
    if top is None:
        raise GitError(f"{root} is not in a git work tree")
    try:
        commit = git(
            root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"
        ).decode().strip()  # fmt: skip
    except GitError as error:
        raise GitError(f"git knows no commit {revision!r}") from error
    filters = local_filters(top)
    listed = git(
        root, *filters, "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", "--relative",
        "--diff-filter=d", commit, "--", ".",
    ) + git(root, "ls-files", "-z", "--others", "--exclude-standard", "--", ".")  # fmt: skip
    return frozenset(os.fsdecode(name) for name in listed.split(b"\0") if name)


def local_filters(top: Path) -> list[str]:
    """Options that switch off the clean filters which the repository's own config defines."""
    try:
        listed = git(top, "config", "--local", "--null", "--name-only", "--list")
    except GitError:
        return []
    options: list[str] = []
    for raw in listed.split(b"\0"):
        key = os.fsdecode(raw)
        if not key.startswith("filter."):
            continue
        name = key.removeprefix("filter.").rpartition(".")[0]
        for setting in ("clean=", "smudge=", "process=", "required=false"):
            options += ["-c", f"filter.{name}.{setting}"]
    return options


def state(root: Path, ignore: tuple[str, ...] = ()) -> GitState:
    """Uncommitted changes below `root`, untracked files included, ignored ones not.

    `ignore`: paths relative to `root` that do not count (a journal of migrator's own).
    No work tree or no git program is not an error: `top` is None and `note` says which.
    Raises GitError when git refuses (for example for a tree that belongs to another user).
    """
    top = work_tree(root)
    if top is None:
        return GitState(None, note="not in a git work tree")
    try:
        filters = local_filters(top)
        listed = git(
            root, *filters, "status", "--porcelain=v1", "-z", "--untracked-files=all",
            "--ignore-submodules=all", "--no-renames", "--", ".",
            *(f":(exclude,literal){path}" for path in ignore),
        )  # fmt: skip
    except FileNotFoundError as error:
        return GitState(None, note=str(error))
    lines = tuple(os.fsdecode(entry) for entry in listed.split(b"\0") if entry)
    return GitState(top, lines)


def states(root: Path, paths: tuple[str, ...], ignore: tuple[str, ...] = ()) -> list[GitState]:
    """The state of `root` and of every repository nested in it that holds one of `paths`.

    Raises GitError as `state` does.
    """
    found = [state(root, ignore)]
    nested: set[Path] = set()
    for path in paths:
        folder = (root / path).parent
        while folder != root and root in folder.parents:
            if (folder / ".git").exists():
                nested.add(folder)
                break
            folder = folder.parent
    found += [state(folder) for folder in sorted(nested)]
    return found
