"""Brings files back to what they were before a run, byte for byte, as often as it takes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from migrator.project import hardlinks, journal
from migrator.project.apply import Refused, remove_folder, sync
from migrator.project.journal import Entry, Run
from migrator.project.lock import Locked, locked
from migrator.project.paths import STATE_FOLDER, UnsafePath, plain
from migrator.project.source import SourceError
from migrator.project.tree import Folder

KEPT = "kept"


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
    try:
        with Folder.named(root) as tree:
            if tree.status(STATE_FOLDER) is None:
                raise Refused(f"there is nothing to undo in {root}: it has no {STATE_FOLDER}/journal")
            with locked(tree, "undo") as state:
                journal.sweep(state)
                found, errors = journal.runs(state)
                if not found:
                    why = f" ({errors[0]})" if errors else ""
                    raise Refused(f"there is nothing to undo in {root}{why}")
                return _undo(tree, state, found, tuple(errors), only, force)
    except (Locked, UnsafePath) as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{root} cannot be written: {error.strerror or error}") from error


def _undo(
    tree: Folder, state: Folder, found: list[Run], notes: tuple[str, ...],
    only: Collection[str], force: bool,
) -> Undone:  # fmt: skip
    run = found[-1]
    entries = run.entries
    if only:
        unknown = sorted(set(only) - {entry.path for entry in entries})
        if unknown:
            raise Refused(f"{unknown[0]} was not written by the last run ({run.id})")
        entries = tuple(entry for entry in entries if entry.path in only)
    groups = hardlinks.linked(tree, (entry.path for entry in entries if not entry.creates))
    restored: list[str] = []
    removed: list[str] = []
    conflicts: list[tuple[str, str]] = []
    with journal.opened(state, run) as blobs:
        for entry in entries:
            try:
                done = _bring_back(tree, state, blobs, run, entry, force)
            except (UnsafePath, SourceError, journal.JournalError) as error:
                conflicts.append((entry.path, getattr(error, "message", str(error))))
                continue
            except OSError as error:
                conflicts.append((entry.path, error.strerror or str(error)))
                continue
            if done:
                (removed if entry.creates else restored).append(entry.path)
        for group in groups:
            hardlinks.join(tree, state, group)
        sync(tree, (*restored, *removed))
        _remove_folders(tree, run)
        finished = not conflicts and not (only and any(_open(tree, blobs, e) for e in run.entries))
        if finished:
            journal.bring_back_plan(state, blobs, last=len(found) == 1)
    if finished:
        journal.forget(state, run)
    earlier = len(found) - finished
    return Undone(run.id, tuple(restored), tuple(removed), tuple(conflicts), earlier, notes)


def _open(tree: Folder, blobs: Folder, entry: Entry) -> bool:
    """Whether an entry can still be undone."""
    if not entry.creates and blobs.status(entry.old) is None:
        return False
    try:
        with tree.holding(entry.path) as (folder, name):
            if entry.creates:
                return folder.status(name) is not None
            return folder.digest(name) != entry.old_sha256
    except OSError:
        return not entry.creates


def _bring_back(
    tree: Folder, state: Folder, blobs: Folder, run: Run, entry: Entry, force: bool
) -> bool:
    """Bring one file back; False when it already is what it was.

    Raises JournalError for a conflict, OSError, UnsafePath.
    """
    if entry.creates:
        return _take_away(tree, state, run, entry, force)
    if blobs.status(entry.old) is None:  # brought back already, by an undo that was interrupted
        return False
    try:
        with tree.holding(plain(entry.path)) as (folder, name):
            current = folder.digest(name)
    except FileNotFoundError:
        current = ""
    if current == entry.old_sha256:  # never written, or put back by hand
        return False
    if blobs.digest(entry.old) != entry.old_sha256:
        raise journal.JournalError("the original in the journal is damaged")
    with tree.holding(entry.path, make=force or entry.removes) as (folder, name):
        if current != entry.new_sha256:
            _set_aside(folder, name, state, run, entry, force)
        blobs.move(entry.old, folder, name)
    return True


def _take_away(tree: Folder, state: Folder, run: Run, entry: Entry, force: bool) -> bool:
    try:
        with tree.holding(plain(entry.path)) as (folder, name):
            if folder.status(name) is None:
                return False
            if folder.digest(name) != entry.new_sha256:
                _set_aside(folder, name, state, run, entry, force)
            folder.remove(name)
    except FileNotFoundError:
        return False
    return True


def _set_aside(
    folder: Folder, name: str, state: Folder, run: Run, entry: Entry, force: bool
) -> None:
    """Keep a copy of a file that a person edited since the run; a conflict unless forced."""
    there = folder.status(name) is not None
    if not force:
        raise journal.JournalError(
            ("was edited" if there else "was removed") + " after the run; left as it is "
            "(--force brings it back and keeps the edited version in .migrator/kept/)"
        )
    if there:
        with state.holding(f"{KEPT}/{run.id}/{entry.path}", make=True) as (kept, last):
            kept.remove(last)  # of an undo that was interrupted, or a link: never written through
            folder.copy(name, kept, last)


def _remove_folders(tree: Folder, run: Run) -> None:
    """Remove the folders that the run made, once nothing but byte code is in them."""
    for made in sorted(run.folders, reverse=True):
        remove_folder(tree, made)
