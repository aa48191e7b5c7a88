"""One writer to a tree at a time, by a lock that the kernel drops when its holder dies."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager

from migrator.project.paths import STATE_FOLDER, UnsafePath
from migrator.project.tree import Folder

LOCK_FILE = "lock"
_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Locked(RuntimeError):
    """Another process is writing to the tree."""


def state_folder(tree: Folder) -> Folder:
    """`.migrator/` of a tree, made with an ignore file of its own, so that git never sees it.

    Raises UnsafePath when the name is taken by a link or a file.
    """
    try:
        tree.make_folder(STATE_FOLDER, 0o755)  # nobody else's to write, whatever the umask
    except FileExistsError:
        pass
    state = tree.folder(STATE_FOLDER)
    if state.status(".gitignore") is None:
        try:
            state.create(".gitignore", b"*\n")
        except FileExistsError:
            pass
    return state


@contextmanager
def locked(tree: Folder, purpose: str) -> Iterator[Folder]:
    """Hold the lock of a tree; yields its state folder.

    The file stays behind; only the kernel's lock on it counts, so a process that was killed
    holds nothing.
    Raises Locked when another process holds it, UnsafePath when something else has its name.
    """
    with state_folder(tree) as state:
        descriptor = _lock_file(state)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                holder = os.read(descriptor, 200).decode("utf-8", "replace").strip()
                raise Locked(
                    f"another migrator is writing to {tree.path} ({holder or 'unknown process'}); "
                    "wait until it has finished"
                ) from error
            os.ftruncate(descriptor, 0)
            since = time.strftime("%Y-%m-%d %H:%M:%S")
            os.write(descriptor, f"{purpose}, process {os.getpid()}, since {since}\n".encode())
            yield state
        finally:
            os.close(descriptor)


def _lock_file(state: Folder) -> int:
    """The lock file, opened. It is written in place, so it must have no other name."""
    path = state.path / LOCK_FILE
    try:
        descriptor = os.open(LOCK_FILE, _OPEN, 0o644, dir_fd=state.descriptor)
    except OSError as error:
        raise UnsafePath(f"{path}: {error.strerror or error}") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(descriptor)
        raise UnsafePath(f"{path} is not a file of its own; remove it, then try again")
    return descriptor
