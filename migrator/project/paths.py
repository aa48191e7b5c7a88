"""Paths that come from trees, plans and journals: which of them may be used, and where links lead."""

from __future__ import annotations

import errno
import os
import unicodedata
from pathlib import Path, PurePosixPath

STATE_FOLDER = ".migrator"
# Writing below these would change what version control or migrator itself runs and believes.
_PROTECTED = frozenset({".git", "git~1", ".hg", ".svn", STATE_FOLDER})
DEEPEST = 128  # folders in each other; the deepest package of the wild has some dozen
_LONGEST = 4_000
_MOST_LINKS = 40  # as the kernel counts them


class UnsafePath(ValueError):
    """A path that leads out of the tree or into what must not be written."""


def plain(relative: str) -> str:
    """`relative`, when it is a plain path below a tree that may be written.

    Raises UnsafePath for an absolute path, ``..`` and version control's and migrator's own folders,
    by whatever name a file system takes for theirs.
    """
    pure = PurePosixPath(relative)
    parts = relative.split("/")
    if len(os.fsencode(relative)) > _LONGEST or len(parts) > DEEPEST:
        raise UnsafePath(f"{relative[:60]!r}... is longer than paths are")
    if not relative or "\0" in relative or pure.is_absolute() or str(pure) != relative:
        raise UnsafePath(f"{relative!r} is not a plain path relative to the repository")
    for part in pure.parts:
        if part == "..":
            raise UnsafePath(f"{relative!r} leads out of the repository")
        if _folded(part) in _PROTECTED:
            raise UnsafePath(f"{relative!r} lies in {part}, which is never written")
    return relative


def _folded(part: str) -> str:
    """A name as the most forgiving file system has it: case, ignorable characters, ends."""
    if not part.isascii():
        kept = (c for c in part if unicodedata.category(c) != "Cf")
        part = unicodedata.normalize("NFKC", "".join(kept))
    return part.lower().rstrip(". ")


def followed(root: Path, relative: str) -> str:
    """Where a path of the tree leads with its links followed: a path of the tree without links.

    Each link is read, none is gone through, so that nothing outside is even looked at. What is not
    there is taken as it is written. Raises UnsafePath for a link out of the tree or in a circle.
    """
    real = os.path.realpath(root)
    bases = (real, os.path.abspath(root))
    left = relative.split("/")[::-1]
    done: list[str] = []
    links = 0
    while left:
        part = left.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not done:
                raise UnsafePath(f"{relative!r} is a link out of the tree")
            done.pop()
            continue
        try:
            target = os.readlink(os.path.join(real, *done, part))
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOENT, errno.ENOTDIR):
                raise UnsafePath(f"{relative!r}: {error.strerror or error}") from error
            done.append(part)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise UnsafePath(f"{relative!r} is a link in a circle")
        if os.path.isabs(target):
            base = next((b for b in bases if target == b or target.startswith(f"{b}/")), None)
            if base is None:
                raise UnsafePath(f"{relative!r} is a link out of the tree")
            target, done = target[len(base) :], []
        left += target.split("/")[::-1]
    return "/".join(done)


def below(root: Path, path: Path) -> str | None:
    """`path` relative to `root`, None where it does not lie below it. Links on the way to the tree are
    followed, those in it are not."""
    place = Path(os.path.normpath(path.absolute()))
    try:
        wanted = os.stat(root)
    except OSError:
        return None
    for folder in reversed(place.parents):
        try:
            if os.path.samestat(os.stat(folder), wanted):
                return place.relative_to(folder).as_posix()
        except OSError:
            return None
    return None
