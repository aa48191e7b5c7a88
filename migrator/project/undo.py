"""Brings files back to what they were before a run, byte for byte, as often as it takes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from migrator.project import hardlinks, journal
from migrator.project.apply import Refused
from migrator.project.journal import Entry, Run, file_sha256
from migrator.project.lock import Locked, locked
from migrator.project.paths import STATE_FOLDER, UnsafePath, checked, sync_folder


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did: `restored` and `removed` paths, `conflicts` as (path, why).

    `earlier` counts the runs that can still be undone.
    """

    run_id: str = ""
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    earlier: int = 0
    notes: tuple[str, ...] = ()


def undo(root: Path, *, only: Collection[str] = (), force: bool = False) -> Undone:
    """Undo the latest run in the tree, or only the files `only` (paths relative to `root`).

    A file that was edited after the run is a conflict and is left as it is; with `force` it is
    brought back, and the edited version is kept in `.migrator/kept/`. An undo that was killed is
    finished by calling it again.
    Raises Refused when there is nothing to undo, another process writes to the tree, or a path in
    `only` was not written by the run.
    """
    root = root.resolve()
    if not (root / STATE_FOLDER).is_dir():
        raise Refused(f"there is nothing to undo in {root}: it has no {STATE_FOLDER}/journal")
    try:
        with locked(root, "undo") as state:
            journal.sweep(state)
            found, errors = journal.runs(root, state)
            if not found:
                why = f" ({errors[0]})" if errors else ""
                raise Refused(f"there is nothing to undo in {root}{why}")
            return _undo(root, state, found, tuple(errors), only, force)
    except (Locked, UnsafePath) as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{root} cannot be written: {error.strerror or error}") from error


def _undo(
    root: Path, state: Path, found: list[Run], notes: tuple[str, ...],
    only: Collection[str], force: bool,
) -> Undone:  # fmt: skip
    run = found[-1]
    entries = run.entries
    if only:
        unknown = sorted(set(only) - {entry.path for entry in entries})
        if unknown:
            raise Refused(f"{unknown[0]} was not written by the last run ({run.id})")
        entries = tuple(entry for entry in entries if entry.path in only)
    groups = hardlinks.linked(root, (entry.path for entry in entries if not entry.creates))
    restored: list[str] = []
    removed: list[str] = []
    conflicts: list[tuple[str, str]] = []
    for entry in entries:
        try:
            done = _bring_back(root, state, run, entry, force)
        except (OSError, UnsafePath, journal.JournalError) as error:
            conflicts.append((entry.path, str(error)))
            continue
        if done:
            (removed if entry.creates else restored).append(entry.path)
    for group in groups:
        hardlinks.join(root, state, group)
    for parent in {(root / path).parent for path in (*restored, *removed)}:
        sync_folder(parent)
    _remove_folders(root, run)
    pending = len(found) - 1
    if not conflicts and (not only or not any(_open(root, run, e) for e in run.entries)):
        journal.forget(run)
    else:
        pending += 1
    return Undone(run.id, tuple(restored), tuple(removed), tuple(conflicts), pending, notes)


def _open(root: Path, run: Run, entry: Entry) -> bool:
    """Whether an entry can still be undone."""
    if entry.creates:
        return os.path.lexists(root / entry.path)
    return run.old(entry).exists() and file_sha256(root / entry.path) != entry.old_sha256


def _bring_back(root: Path, state: Path, run: Run, entry: Entry, force: bool) -> bool:
    """Bring one file back; False when it already is what it was.

    Raises JournalError for a conflict, OSError, UnsafePath.
    """
    target = checked(root, entry.path)
    current = file_sha256(target)
    if entry.creates:
        if not os.path.lexists(target):
            return False
        if current != entry.new_sha256:
            _set_aside(target, state, run, entry, force)
        target.unlink(missing_ok=True)
        return True
    original = run.old(entry)
    if not os.path.lexists(original):  # brought back already, by an undo that was interrupted
        return False
    if current == entry.old_sha256:  # never written, or put back by hand
        return False
    if file_sha256(original) != entry.old_sha256:
        raise journal.JournalError("the original in the journal is damaged")
    if current != entry.new_sha256:
        _set_aside(target, state, run, entry, force)
    target.parent.mkdir(parents=True, exist_ok=True)
    journal.put(original, target)
    return True


def _set_aside(target: Path, state: Path, run: Run, entry: Entry, force: bool) -> None:
    """Keep a copy of a file that a person edited since the run; a conflict unless forced."""
    if not force:
        gone = not os.path.lexists(target)
        raise journal.JournalError(
            ("was removed" if gone else "was edited") + " after the run; left as it is "
            "(--force brings it back and keeps the edited version in .migrator/kept/)"
        )
    if os.path.lexists(target):
        kept = state / "kept" / run.id / entry.path
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(target, kept, follow_symlinks=False)


def _remove_folders(root: Path, run: Run) -> None:
    """Remove the folders that the run made, once nothing but byte code is in them."""
    for relative in sorted(run.folders, reverse=True):
        try:
            folder = checked(root, relative)
            cache = folder / "__pycache__"
            if {p.name for p in folder.iterdir()} == {"__pycache__"} and not cache.is_symlink():
                for compiled in cache.glob("*.pyc"):
                    compiled.unlink()
                cache.rmdir()
            folder.rmdir()
        except (OSError, UnsafePath):
            continue
