"""Summaries of many modules, most of them packed: a fifth of the memory, for the time to unpack."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, MutableMapping
from functools import lru_cache

from migrator.analysis.module_summary import ModuleSummary

PLAIN = 1_000  # modules that are kept as they are: those of most repositories
_UNPACKED = 512


class Summaries(MutableMapping[str, ModuleSummary]):
    """Summaries by path."""

    def __init__(self) -> None:
        self._kept: dict[str, ModuleSummary | bytes] = {}

    def kept(self, path: str) -> ModuleSummary | bytes:
        """A summary as it is kept, for `unpacked`."""
        return self._kept[path]

    def __setitem__(self, path: str, summary: ModuleSummary) -> None:
        plain = len(self._kept) < PLAIN
        self._kept[path] = summary if plain else pickle.dumps(summary, pickle.HIGHEST_PROTOCOL)

    def __getitem__(self, path: str) -> ModuleSummary:
        return unpacked(self._kept[path])

    def __delitem__(self, path: str) -> None:
        del self._kept[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)


def unpacked(kept: ModuleSummary | bytes) -> ModuleSummary:
    """The summary of a module as `Summaries` keeps it."""
    return _unpacked(kept) if isinstance(kept, bytes) else kept


@lru_cache(maxsize=_UNPACKED)
def _unpacked(kept: bytes) -> ModuleSummary:
    found = pickle.loads(kept)  # what this process packed itself
    assert isinstance(found, ModuleSummary)
    return found
