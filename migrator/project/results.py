"""The results of a plan, most of them on disk: texts of a large tree do not fit into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from migrator.model import FileResult, Status, Stored
from migrator.project.spill import Place, Spill

# About the bytes that stay in memory. The results of most repositories do; then nothing is written.
IN_MEMORY = 16_000_000
_ENTRY = 250  # bytes of a change or finding


class Results(Stored):
    """Results by path, in the order of the paths, of which few are in memory at a time.

    `put` takes them in any order and replaces what has the same path.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._room = in_memory
        self._kept: dict[str, FileResult] = {}
        self._spilled = Spill()
        self._places: dict[str, Place] = {}  # of those that are not in memory
        self._status: dict[str, Status] = {}
        self._order: list[str] | None = None

    @classmethod
    def of(cls, results: Iterable[FileResult]) -> Sequence[FileResult]:
        """These results, as `done` gives them."""
        return cls.by_path(results).done()

    @classmethod
    def by_path(cls, results: Iterable[FileResult]) -> Results:
        """These results, to be asked for by path."""
        found = cls()
        for result in results:
            found.put(result)
        return found

    def put(self, result: FileResult) -> None:
        """Add a result."""
        path = result.path
        if path not in self._status:
            self._order = None
        self._status[path] = result.status
        self._kept.pop(path, None)
        self._places.pop(path, None)
        said = len(result.changes) + len(result.findings)
        size = len(result.old_text) + len(result.new_text or "") + 1000 + _ENTRY * said
        if size <= self._room:
            self._room -= size
            self._kept[path] = result
            return
        self._places[path] = self._spilled.add(result)

    def done(self) -> Sequence[FileResult]:
        """The results: a plain tuple where all of them fit into memory."""
        return self if self._places else tuple(self)

    def has(self, path: str) -> bool:
        """Whether there is a result of a path."""
        return path in self._status

    def get(self, path: str) -> FileResult:
        """The result of a path. Raises KeyError."""
        kept = self._kept.get(path)
        if kept is not None:
            return kept
        found = self._spilled.get(self._places[path])
        assert isinstance(found, FileResult)
        return found

    def with_status(self, status: Status) -> Sequence[FileResult]:
        """Those of one status."""
        return _Chosen(self, [path for path in self._paths() if self._status[path] is status])

    def _paths(self) -> list[str]:
        if self._order is None:
            self._order = sorted(self._status)
        return self._order

    def __len__(self) -> int:
        return len(self._status)

    def __iter__(self) -> Iterator[FileResult]:
        return map(self.get, self._paths())

    @overload
    def __getitem__(self, index: int) -> FileResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FileResult]: ...
    def __getitem__(self, index: int | slice) -> FileResult | Sequence[FileResult]:
        paths = self._paths()[index]
        return self.get(paths) if isinstance(paths, str) else _Chosen(self, paths)


class _Chosen(Sequence[FileResult]):
    """Some of the results."""

    def __init__(self, results: Results, paths: list[str]) -> None:
        self._results = results
        self._paths = paths

    def __len__(self) -> int:
        return len(self._paths)

    def __iter__(self) -> Iterator[FileResult]:
        return map(self._results.get, self._paths)

    @overload
    def __getitem__(self, index: int) -> FileResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FileResult]: ...
    def __getitem__(self, index: int | slice) -> FileResult | Sequence[FileResult]:
        paths = self._paths[index]
        if isinstance(paths, str):
            return self._results.get(paths)
        return _Chosen(self._results, paths)
