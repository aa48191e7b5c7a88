"""What was where before migrator wrote to a tree: complete on disk before the first write.

A run's folder `.migrator/journal/<run>/` holds `entries.json`, the originals (`old-N`) and, until
they are put in place, the new contents (`new-N`). It is filled under another name and renamed when
everything in it is on the disk. So whoever is killed, at whatever instant: either there is no
journal and the tree is untouched, or there is one that tells every file's old content. Putting a
file in place and bringing it back are one rename each, which needs no disk space.
"""

from __future__ import annotations

import dataclasses
import json
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from migrator.project.paths import UnsafePath, plain
from migrator.project.source import SourceError, sha256
from migrator.project.tree import Content, Folder

VERSION = 1
ENTRIES = "entries.json"
FOLDER = "journal"
_MOST_BYTES = 1 << 30  # of entries.json: some million files
PLAN = "plan.json"  # what was written so far (engine.history); beside a run: what was before it
_RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_UNFINISHED = "unfinished-"
_THREADS = 8  # fsync waits for the disk; file systems commit concurrent ones together
_AT_ONCE = 64  # files whose contents are in memory


class JournalError(RuntimeError):
    """A journal that cannot be written or must not be believed; the message says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a run. `old_sha256` is empty for a file that the run creates, `new_sha256` for one
    that it removes.

    `number` names its blobs in the run's folder; `path` is relative to the root.
    """

    number: int
    path: str
    old_sha256: str
    new_sha256: str

    @property
    def creates(self) -> bool:
        return not self.old_sha256

    @property
    def removes(self) -> bool:
        return not self.new_sha256

    @property
    def old(self) -> str:
        """Where in the run's folder the original content lies until it is brought back."""
        return f"old-{self.number}"

    @property
    def new(self) -> str:
        """Where the new content lies until it is put in place."""
        return f"new-{self.number}"


@dataclass(frozen=True, slots=True)
class Run:
    """One journalled run; `folders` are those it made, outermost first."""

    id: str
    entries: tuple[Entry, ...]
    folders: tuple[str, ...] = ()
    what: str = ""
    tool_version: str = ""


@dataclass(frozen=True, slots=True)
class Staged:
    """A file to write: its new bytes (None: it goes), and what it replaces, if anything."""

    path: str
    new: bytes | None
    old: Content | None = None


@contextmanager
def opened(state: Folder, run: Run) -> Iterator[Folder]:
    """The folder of a run."""
    with state.folder(f"{FOLDER}/{run.id}") as folder:
        yield folder


def record(
    state: Folder, staged: Iterable[Staged], folders: Iterable[str], what: str, tool_version: str
) -> Run:
    """Write a run's journal and new contents; nothing of the tree itself is touched.

    `staged` is taken a few files at a time, `folders` when all are there. A run without files leaves
    nothing. Raises JournalError when writing fails (a full disk); what was written is removed again.
    """
    with state.folder(FOLDER, make=True) as base:
        _sweep(base)
        now = time.time()  # to the microsecond: names are sorted, and the last one is undone first
        second = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
        run_id = f"{second}-{int(now % 1 * 1e6):05x}{secrets.randbelow(4096):03x}"
        unfinished = f"{_UNFINISHED}{run_id}"
        try:
            with base.folder(unfinished, make=True) as folder:
                entries = _write_blobs(folder, staged)
                run = Run(run_id, entries, tuple(folders), what, tool_version)
                header: dict[str, Any] = {
                    "version": VERSION, "what": what, "tool_version": tool_version,
                    "folders": run.folders, "entries": [dataclasses.asdict(e) for e in entries],
                }  # fmt: skip
                folder.create(ENTRIES, json.dumps(header, ensure_ascii=False, indent=1).encode())
                folder.sync()
            if not entries:
                base.remove_tree(unfinished)
                return run
            base.move(unfinished, base, run_id)
            base.sync()
        except OSError as error:
            base.remove_tree(unfinished)
            raise JournalError(
                f"the originals cannot be kept in {base.path}: {error.strerror or error}; "
                "nothing was changed"
            ) from error
        except BaseException:
            base.remove_tree(unfinished)
            raise
    return run


def _write_blobs(folder: Folder, staged: Iterable[Staged]) -> tuple[Entry, ...]:
    def blobs(numbered: tuple[int, Staged]) -> Entry:
        number, item = numbered
        old = "" if item.old is None else sha256(item.old.data)
        new = "" if item.new is None else sha256(item.new)
        entry = Entry(number, item.path, old, new)
        if item.old is not None:
            folder.create(entry.old, item.old.data, item.old, times=True)
        if item.new is not None:
            folder.create(entry.new, item.new, item.old)
        return entry

    entries: list[Entry] = []
    waiting = enumerate(staged)
    with ThreadPoolExecutor(_THREADS) as pool:
        while some := list(islice(waiting, _AT_ONCE)):
            entries += pool.map(blobs, some)
    return tuple(entries)


def sweep(state: Folder) -> None:
    """Remove what a killed run left half-written (called under the lock only)."""
    with state.folder(FOLDER, make=True) as base:
        _sweep(base)


def _sweep(base: Folder) -> None:
    for name in base.names():
        if name.startswith(_UNFINISHED):
            base.remove_tree(name)


def runs(state: Folder) -> tuple[list[Run], list[str]]:
    """(runs that can be undone, oldest first; why others cannot be believed)."""
    found: list[Run] = []
    errors: list[str] = []
    try:
        base = state.folder(FOLDER)
    except (OSError, UnsafePath):
        return found, errors
    with base:
        for name in filter(_RUN.fullmatch, base.names()):
            try:
                found.append(load(base, name))
            except (JournalError, UnsafePath) as error:
                errors.append(f"{base.path / name}: {error}")
    return found, errors


def load(base: Folder, run_id: str) -> Run:
    """Read one run's journal, which may have come with the repository from anywhere.

    Raises JournalError or UnsafePath for anything that migrator itself would not have written:
    paths that leave the tree, links in place of blobs, malformed entries.
    """
    try:
        with base.folder(run_id) as folder:
            data = json.loads(folder.read(ENTRIES, _MOST_BYTES).data)
            version = data["version"]
            if version != VERSION:
                raise JournalError(f"was written by another version of migrator (format {version})")
            entries = tuple(Entry(**raw) for raw in data["entries"])
            run = Run(
                run_id, entries, tuple(data["folders"]), str(data["what"]), str(data["tool_version"])
            )
            _check_run(folder, run)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, UnsafePath):
            raise
        said = error.message if isinstance(error, SourceError) else f"cannot be read: {error}"
        raise JournalError(said) from error
    return run


def _check_run(folder: Folder, run: Run) -> None:
    seen: set[str] = set()
    for number, entry in enumerate(run.entries):
        if entry.number != number or not isinstance(entry.path, str) or entry.path in seen:
            raise JournalError(f"entry {number} is malformed")
        seen.add(entry.path)
        hashes = [h for h in (entry.new_sha256, entry.old_sha256) if h != ""]
        if not hashes or not all(isinstance(h, str) and _SHA256.fullmatch(h) for h in hashes):
            raise JournalError(f"entry {number} has no digest")
        plain(entry.path)
        for blob in (entry.old, entry.new):
            status = folder.status(blob)
            if status is not None and not stat.S_ISREG(status.st_mode):
                raise JournalError(f"{blob} is not a regular file")
    for made in run.folders:
        if not isinstance(made, str):
            raise JournalError("a folder's name is malformed")
        plain(made)


def keep_beside(state: Folder, run: str) -> None:
    """Keep what was known before a run in its folder. Raises OSError, UnsafePath."""
    with state.folder(f"{FOLDER}/{run}") as blobs:
        state.copy(PLAN, blobs, PLAN)


def bring_back_plan(state: Folder, blobs: Folder, last: bool) -> None:
    """Bring back what was known before a run that is undone, from its folder; nothing is known any more
    where it was the last one. Raises OSError."""
    if blobs.is_file(PLAN):
        blobs.move(PLAN, state, PLAN)
    elif last:
        state.remove(PLAN)


def forget(state: Folder, run: Run) -> None:
    """Remove a run that has been undone: out of sight first, so that being killed is harmless."""
    with state.folder(FOLDER) as base:
        away = f"{_UNFINISHED}{run.id}"
        base.move(run.id, base, away)
        base.remove_tree(away)
