"""One writer to a tree at a time, by a lock that the kernel drops when its holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from migrator.project.paths import STATE_FOLDER, UnsafePath, real_folder

LOCK_FILE = "lock"


class Locked(RuntimeError):
    """Another process is writing to the tree."""


def state_folder(root: Path) -> Path:
    """`.migrator/` of a tree, made with an ignore file of its own, so that git never sees it.

    Raises UnsafePath when the name is taken by a link or a file.
    """
    folder = real_folder(root / STATE_FOLDER)
    ignore = folder / ".gitignore"
    if not os.path.lexists(ignore):
        ignore.write_text("*\n", encoding="utf-8")
    return folder


@contextmanager
def locked(root: Path, purpose: str) -> Iterator[Path]:
    """Hold the lock of a tree; yields its state folder.

    The file stays behind; only the kernel's lock on it counts, so a process that was killed
    holds nothing.
    Raises Locked when another process holds it, UnsafePath when a link is in the way.
    """
    folder = state_folder(root)
    path = folder / LOCK_FILE
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise UnsafePath(f"{path}: {error.strerror or error}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(descriptor, 200).decode("utf-8", "replace").strip()
            raise Locked(
                f"another migrator is writing to {root} ({holder or 'unknown process'}); "
                "wait until it has finished"
            ) from error
        os.ftruncate(descriptor, 0)
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        os.write(descriptor, f"{purpose}, process {os.getpid()}, since {since}\n".encode())
        yield folder
    finally:
        os.close(descriptor)
