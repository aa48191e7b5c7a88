"""What was where before migrator wrote to a tree: complete on disk before the first write.

A run's folder `.migrator/journal/<run>/` holds `entries.json`, the originals (`old-N`) and, until
they are put in place, the new contents (`new-N`). It is filled under another name and renamed when
everything in it is on the disk. So whoever is killed, at whatever instant: either there is no
journal and the tree is untouched, or there is one that tells every file's old content. Putting a
file in place and bringing it back are one rename each, which needs no disk space.
"""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from migrator.project.paths import UnsafePath, checked, real_folder, sync_folder

VERSION = 1
ENTRIES = "entries.json"
_RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_UNFINISHED = "unfinished-"
_THREADS = 8  # fsync waits for the disk; file systems commit concurrent ones together


class JournalError(RuntimeError):
    """A journal that cannot be written or must not be believed; the message says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a run. `old_sha256` is empty for a file that the run creates.

    `number` names its blobs in the run's folder; `path` is relative to the root.
    """

    number: int
    path: str
    old_sha256: str
    new_sha256: str

    @property
    def creates(self) -> bool:
        return not self.old_sha256


@dataclass(frozen=True, slots=True)
class Run:
    """One journalled run; `folders` are those it made, outermost first."""

    id: str
    folder: Path
    entries: tuple[Entry, ...]
    folders: tuple[str, ...] = ()
    what: str = ""
    tool_version: str = ""

    def old(self, entry: Entry) -> Path:
        """Where the original content lies until it is brought back."""
        return self.folder / f"old-{entry.number}"

    def new(self, entry: Entry) -> Path:
        """Where the new content lies until it is put in place."""
        return self.folder / f"new-{entry.number}"


@dataclass
class Staged:
    """A file to write: its new bytes, and its old bytes where it replaces one."""

    path: str
    new: bytes
    old: bytes | None = None
    like: Path | None = field(default=None)  # whose mode, owner and attributes the file keeps


def sha256(data: bytes) -> str:
    """Hexadecimal digest."""
    return hashlib.sha256(data).hexdigest()


def file_sha256(path: Path) -> str:
    """Digest of a regular file; empty when there is none (or it is something else)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return ""
    with os.fdopen(descriptor, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _write(path: Path, data: bytes, like: Path | None, keep_times: bool) -> None:
    """Write and fsync a new file, with the mode, owner and attributes of `like`."""
    with open(path, "xb") as stream:
        stream.write(data)
        stream.flush()
        if like is not None:
            status = os.stat(like, follow_symlinks=False)
            try:
                os.fchown(stream.fileno(), status.st_uid, status.st_gid)
            except OSError:
                pass  # only root may give files away; the content matters more
        os.fsync(stream.fileno())
    if like is not None:
        shutil.copystat(like, path, follow_symlinks=False)
        if not keep_times:
            os.utime(path)


def journal_folder(state: Path) -> Path:
    """`.migrator/journal`, made if need be. Raises UnsafePath when a link is in the way."""
    return real_folder(state / "journal")


def record(
    state: Path, staged: list[Staged], folders: tuple[str, ...], what: str, tool_version: str
) -> Run:
    """Write a run's journal and new contents; nothing of the tree itself is touched.

    Raises JournalError when that fails (a full disk); what was written is removed again.
    """
    base = journal_folder(state)
    sweep(state)
    run_id = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"
    folder = base / f"{_UNFINISHED}{run_id}"
    entries = tuple(
        Entry(n, item.path, "" if item.old is None else sha256(item.old), sha256(item.new))
        for n, item in enumerate(staged)
    )

    def blobs(pair: tuple[Entry, Staged]) -> None:
        entry, item = pair
        if item.old is not None:
            _write(folder / f"old-{entry.number}", item.old, item.like, keep_times=True)
        _write(folder / f"new-{entry.number}", item.new, item.like, keep_times=False)

    try:
        folder.mkdir()
        with ThreadPoolExecutor(_THREADS) as pool:
            for _ in pool.map(blobs, zip(entries, staged, strict=True)):
                pass
        header: dict[str, Any] = {
            "version": VERSION, "what": what, "tool_version": tool_version, "folders": folders,
            "entries": [dataclasses.asdict(entry) for entry in entries],
        }  # fmt: skip
        text = json.dumps(header, ensure_ascii=False, indent=1)
        _write(folder / ENTRIES, text.encode(), None, keep_times=False)
        sync_folder(folder)
        final = base / run_id
        os.rename(folder, final)
        sync_folder(base)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise JournalError(
            f"the originals cannot be kept in {base}: {error.strerror or error}; "
            "nothing was changed"
        ) from error
    return Run(run_id, final, entries, folders, what, tool_version)


def sweep(state: Path) -> None:
    """Remove what a killed run left half-written (called under the lock only)."""
    for leftover in journal_folder(state).glob(f"{_UNFINISHED}*"):
        if leftover.is_dir() and not leftover.is_symlink():
            shutil.rmtree(leftover, ignore_errors=True)


def runs(root: Path, state: Path) -> tuple[list[Run], list[str]]:
    """(runs that can be undone, oldest first; why others cannot be believed)."""
    found: list[Run] = []
    errors: list[str] = []
    base = state / "journal"
    if not base.is_dir() or base.is_symlink():
        return found, errors
    for folder in sorted(base.iterdir()):
        if not _RUN.fullmatch(folder.name):
            continue
        try:
            found.append(load(root, folder))
        except (JournalError, UnsafePath) as error:
            errors.append(f"{folder}: {error}")
    return found, errors


def load(root: Path, folder: Path) -> Run:
    """Read one run's journal, which may have come with the repository from anywhere.

    Raises JournalError or UnsafePath for anything that migrator itself would not have written:
    paths that leave the tree, links in place of blobs, malformed entries.
    """
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise JournalError("is not a folder")
        path = folder / ENTRIES
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise JournalError(f"{ENTRIES} is not a regular file")
        data = json.loads(path.read_text(encoding="utf-8"))
        version = data["version"]
        if version != VERSION:
            raise JournalError(f"was written by another version of migrator (format {version})")
        entries = tuple(Entry(**raw) for raw in data["entries"])
        run = Run(
            folder.name, folder, entries, tuple(data["folders"]),
            str(data["what"]), str(data["tool_version"]),
        )  # fmt: skip
        _check_run(root, run)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, UnsafePath):
            raise
        raise JournalError(f"cannot be read: {error}") from error
    return run


def _check_run(root: Path, run: Run) -> None:
    seen: set[str] = set()
    for number, entry in enumerate(run.entries):
        if entry.number != number or not isinstance(entry.path, str) or entry.path in seen:
            raise JournalError(f"entry {number} is malformed")
        seen.add(entry.path)
        hashes = [entry.new_sha256] if entry.creates else [entry.new_sha256, entry.old_sha256]
        if not all(isinstance(h, str) and _SHA256.fullmatch(h) for h in hashes):
            raise JournalError(f"entry {number} has no digest")
        checked(root, entry.path)
        for blob in (run.old(entry), run.new(entry)):
            if os.path.lexists(blob) and not stat.S_ISREG(os.lstat(blob).st_mode):
                raise JournalError(f"{blob.name} is not a regular file")
    for made in run.folders:
        if not isinstance(made, str):
            raise JournalError("a folder's name is malformed")
        checked(root, made)


def forget(run: Run) -> None:
    """Remove a run that has been undone: out of sight first, so that being killed is harmless."""
    away = run.folder.with_name(f"{_UNFINISHED}{run.id}")
    os.rename(run.folder, away)
    shutil.rmtree(away, ignore_errors=True)


def put(source: Path, target: Path, rename: Callable[..., None] | None = None) -> None:
    """Put a staged file in the place of `target` by one rename.

    Across file systems (a mount inside the tree) it is copied beside the target first.
    Raises OSError.
    """
    try:
        (rename or os.replace)(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        beside = target.with_name(f".migrator-{secrets.token_hex(6)}.tmp")
        try:
            shutil.copy2(source, beside, follow_symlinks=False)
            os.replace(beside, target)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
        source.unlink()
