"""Paths that come from plans and journals, checked before anything is written to them."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

STATE_FOLDER = ".migrator"
# Writing below these would change what version control or migrator itself runs and believes.
_PROTECTED = frozenset({".git", ".hg", ".svn", STATE_FOLDER})


class UnsafePath(ValueError):
    """A path that leads out of the tree or into what must not be written."""


def checked(root: Path, relative: str) -> Path:
    """`root / relative`, when that is a plain path below `root` without links on the way.

    Raises UnsafePath for an absolute path, ``..``, version control's and migrator's own folders,
    and for a path that leads through a symbolic link.
    """
    pure = PurePosixPath(relative)
    if not relative or "\0" in relative or pure.is_absolute() or str(pure) != relative:
        raise UnsafePath(f"{relative!r} is not a plain path relative to the repository")
    for part in pure.parts:
        if part == "..":
            raise UnsafePath(f"{relative!r} leads out of the repository")
        if part.lower() in _PROTECTED:
            raise UnsafePath(f"{relative!r} lies in {part}, which is never written")
    current = root
    for part in pure.parts:
        current = current / part
        try:
            status = os.lstat(current)
        except FileNotFoundError:
            break
        except OSError as error:
            raise UnsafePath(f"{relative!r}: {error.strerror or error}") from error
        if stat.S_ISLNK(status.st_mode):
            raise UnsafePath(f"{relative!r} leads through the symbolic link {current}")
    return root / pure


def is_inside(root: Path, path: Path) -> bool:
    """Whether `path` is `root` or lies below it, with all links followed."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):  # a link in a circle, a NUL in the name
        return False


def real_folder(path: Path) -> Path:
    """`path` as a folder of its own, made if it is not there.

    Raises UnsafePath when something else, or a link to a folder, has the name.
    """
    try:
        os.mkdir(path, 0o755)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise UnsafePath(
                f"{path} is in the way: it is not a folder; remove it, then try again"
            ) from None
    return path


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable; where the file system cannot, that is no error."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
