"""Finds the two trees to compare: a repository as it was and as it is migrated."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from migrator.engine import pins, requirements
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.engine.scanned import SUPPORT_PACKAGE
from migrator.model import Plan
from migrator.project import journal
from migrator.project.apply import Refused
from migrator.project.copytree import write_copy
from migrator.project.git import GitError
from migrator.project.paths import STATE_FOLDER, UnsafePath
from migrator.project.tree import Folder
from migrator.project.undo import undo
from migrator.workload import revisions


class SidesError(RuntimeError):
    """The two trees could not be had; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Sides:
    """`before` and `after` are complete trees; `plan` is there if the migration was made here.
    revision: the git commit that `before` is of, "" if it is of none."""

    before: Path
    after: Path
    plan: Plan | None = None
    revision: str = ""


def resolve(
    repo: Path,
    before: Path | None,
    after: Path | None,
    scratch: Path,
    options: Options | None = None,
    revision: str = "",
) -> Sides:
    """The trees that the caller names, or what the repository's state says.

    A repository that was migrated in place gives "after", and "before" is a copy of it in `scratch`
    with the migration undone; so does a clone of a migrated branch, whose "before" is the revision
    ahead of the migration, laid out in `scratch`. One that was not migrated is "before", and
    "after" is migrated into `scratch`. revision: the git revision of "before".

    Raises:
      SidesError: the journal cannot be undone on the copy, there is no such revision, or the copy
        cannot be written.
    """
    if before is not None and after is not None:
        return Sides(before, after)
    if before is not None:
        return Sides(before, repo)
    try:
        if after is None and not revision and _has_runs(repo):
            return Sides(_undone(repo, scratch / "before"), repo)
        if not revision and after is None:
            revision = revisions.before_migration(repo) or ""
        if revision:
            commit = revisions.checkout(repo, revision, scratch / "before")
            return Sides(scratch / "before", after or repo, revision=commit)
        if after is not None:
            return Sides(repo, after)
        plan = build_plan(repo.resolve(), options or Options())
        write_copy(plan, scratch / "after")
    except (Refused, GitError, OSError) as error:
        raise SidesError(str(error)) from error
    return Sides(repo, scratch / "after", plan)


def lacking_package(after: Path, python: str = "") -> str:
    """What to say where a migrated tree uses the distribution tf1-support, and the Python that runs it
    has none; empty otherwise. python: that interpreter, this one if empty."""
    if any(after.glob(f"**/{SUPPORT_PACKAGE}/__init__.py")) or not pins.pins_support(pins.listings(after)):
        return ""
    code = f"import importlib.util as u, sys; sys.exit(u.find_spec({SUPPORT_PACKAGE!r}) is None)"
    try:
        done = subprocess.run([python or sys.executable, "-c", code], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""  # whoever runs it says why
    if not done.returncode:
        return ""
    return (
        f"{after} uses {requirements.SUPPORT}, which {python or 'this Python'} does not have: "
        f"migrator wheel wheels/ && {python or sys.executable} -m pip install --find-links wheels/ "
        f"{requirements.pin_of_support()}"
    )


def _has_runs(repo: Path) -> bool:
    """Whether the journal holds a migration: what was undone left an empty one. Raises Refused for a
    journal of which nothing can be believed."""
    try:
        with Folder.named(repo) as tree, tree.folder(STATE_FOLDER) as state:
            found, errors = journal.runs(state)
    except (OSError, UnsafePath):
        return False
    if errors and not found:
        raise Refused(errors[0])
    return bool(found)


def _undone(repo: Path, copy: Path) -> Path:
    """A copy of the repository with every recorded migration undone."""
    shutil.copytree(repo, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", "cells"))
    while True:
        result = undo(copy, force=True)
        if result.conflicts:
            path, why = result.conflicts[0]
            raise SidesError(f"{repo / path} cannot be brought back: {why}")
        if not result.earlier:
            return copy
