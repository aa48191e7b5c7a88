"""Values that do not fit into memory all at once: the first of them there, the rest in a file."""

from __future__ import annotations

import os
import pickle
import tempfile
from typing import Any

Place = bytes | tuple[int, int]  # a value that is in memory, or where it is in the file and how long

_ROOMY = "/var/tmp"  # where /tmp is memory, too


class Spill:
    """Values of this process, pickled; those beyond `in_memory` bytes are in a file that nobody else can
    open, and that is gone when it is closed. What is no longer asked for stays there until then."""

    def __init__(self, in_memory: int = 0) -> None:
        self._room = in_memory
        self._file: Any = None
        self._end = 0

    def add(self, value: object) -> Place:
        """Keep a value; where it is. Raises OSError where the disk is full."""
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        if len(data) <= self._room:
            self._room -= len(data)
            return data
        if self._file is None:
            self._file = _file()
        place = self._end, len(data)
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._file.fileno(), rest, self._end)
            self._end += written
            rest = rest[written:]
        return place

    def get(self, place: Place) -> Any:
        """The value at a place."""
        if isinstance(place, bytes):
            return pickle.loads(place)
        at, size = place
        return pickle.loads(os.pread(self._file.fileno(), size, at))


def size_of(place: Place) -> int:
    """How many bytes a value takes that is pickled."""
    return len(place) if isinstance(place, bytes) else place[1]


def _file() -> Any:
    roomy = "TMPDIR" not in os.environ and os.access(_ROOMY, os.W_OK | os.X_OK)
    return tempfile.TemporaryFile(prefix="migrator-plan-", dir=_ROOMY if roomy else None, buffering=0)
