"""Files that a command line names for results: in one piece, and through no link of the tree."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from migrator.cli import console, exits
from migrator.project.lock import state_folder
from migrator.project.paths import STATE_FOLDER, UnsafePath
from migrator.project.tree import Folder, writing_named


def folder(repo: Path, named: Path | None) -> Path:
    """Where results go: the folder that was named, or the repository's own, which git does not see.

    Ends the command with code 2 where that cannot be made.
    """
    if named is not None:
        return named
    try:
        with Folder.named(repo) as tree, state_folder(tree):
            return repo / STATE_FOLDER
    except (OSError, UnsafePath) as error:
        why = getattr(error, "strerror", None) or error
        raise exits.UsageExit(f"{console.safe(str(repo / STATE_FOLDER))} cannot be made: {why}") from error


@contextmanager
def writing(path: Path, root: Path) -> Iterator[BinaryIO]:
    """A stream to write results to, ``-`` being standard output; `root` is the tree that they are of.

    Ends the command with code 2 where the file cannot be written.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with writing_named(path, root) as stream:
            yield stream
    except BrokenPipeError:
        raise
    except (OSError, UnsafePath) as error:
        why = getattr(error, "strerror", None) or error
        raise exits.UsageExit(f"{console.safe(str(path))} cannot be written: {why}") from error


def write(path: Path, root: Path, text: str) -> None:
    """Write a text as UTF-8, as `writing` does; what is no text is written as its escapes."""
    with writing(path, root) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))
