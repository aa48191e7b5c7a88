"""Files with several names: a rename gives one name a new file, so its other names need care.

Names within the tree are made one file again. Names elsewhere keep the old content: writing through
them would change what lies outside of the tree.
"""

from __future__ import annotations

import secrets
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from migrator.project.paths import UnsafePath
from migrator.project.tree import Folder


@dataclass(frozen=True, slots=True)
class Linked:
    """The names of one file that a run writes to, and how many it has besides them."""

    paths: tuple[str, ...]
    besides: int


def linked(tree: Folder, paths: Iterable[str]) -> list[Linked]:
    """Those of `paths` (of the tree) that have more names than one, by file."""
    names: dict[tuple[int, int], list[str]] = {}
    count: dict[tuple[int, int], int] = {}
    for path in paths:
        try:
            with tree.holding(path) as (folder, name):
                status = folder.status(name)
        except (OSError, UnsafePath):
            continue
        if status is not None and stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            key = (status.st_dev, status.st_ino)
            names.setdefault(key, []).append(path)
            count[key] = status.st_nlink
    return [Linked(tuple(found), count[key] - len(found)) for key, found in names.items()]


def join(tree: Folder, state: Folder, group: Linked) -> None:
    """Make those names of a group one file again whose content is still the same.

    Each is one rename of a link that was made in the state folder, so the content is there at
    every instant. Where the file system refuses, the files stay apart: their content is right
    either way.
    """
    first, *rest = group.paths
    for path in rest:
        try:
            with tree.holding(first) as (home, name), tree.holding(path) as (folder, other):
                digest = home.digest(name)
                if digest and folder.digest(other) == digest:
                    _join(home, name, folder, other, state)
        except (OSError, UnsafePath):
            continue


def _join(home: Folder, name: str, folder: Folder, other: str, state: Folder) -> None:
    link = f"link-{secrets.token_hex(6)}"
    home.link(name, state, link)
    try:
        state.move(link, folder, other)
    finally:
        # rename() does nothing where both names are one file already, and leaves both
        state.remove(link)


def notes(groups: Iterable[Linked]) -> list[str]:
    """What a person must know about names that keep the old content."""
    return [
        f"{', '.join(group.paths)}: has {group.besides} other name{'s' * (group.besides != 1)} "
        "(hard links), which keep the old content"
        for group in groups if group.besides > 0
    ]  # fmt: skip
