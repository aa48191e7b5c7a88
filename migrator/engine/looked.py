"""The files of a project on their way through the check: their results are the plan's, most of what the
check knows of them is on disk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, MutableMapping

from migrator.check.modules import Brief, Modules
from migrator.check.records import Unit
from migrator.engine.migrated import Edited, Migrated
from migrator.model import Rung, Status
from migrator.project.results import Results
from migrator.project.spill import Place, Spill, size_of

IN_MEMORY = 8_000_000  # bytes of units, which take five times as many once they are read
_AT_ONCE = 8_000_000  # of those that were told or asked for last

_Units = tuple[Unit | None, Unit | None, tuple[Edited, ...]]
_NONE: _Units = (None, None, ())
Instead = Mapping[str, Migrated]  # files in whose place others are looked at


class Looked(MutableMapping[str, Migrated]):
    """Files by path, whose results are in `results`."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._spilled = Spill(IN_MEMORY)
        self._places: dict[str, Place | None] = {}  # None where nobody need look
        self._briefs: tuple[dict[str, Brief], dict[str, Brief]] = ({}, {})
        self._supports: dict[str, frozenset[str]] = {}
        self._same: dict[frozenset[str], frozenset[str]] = {}  # many use the same of the support package
        self._promising: set[str] = set()
        self._last: OrderedDict[str, _Units] = OrderedDict()
        self._last_size = 0

    def __setitem__(self, path: str, item: Migrated) -> None:
        result = item.result
        self._results.put(result)
        self._supports.pop(path, None)
        if result.status is not Status.FAILED:
            self._supports[path] = self._same.setdefault(result.support, result.support)
        self._promising.discard(path)
        if any(finding.rung is Rung.COMPAT for finding in result.findings):
            self._promising.add(path)
        self.look(path, item)

    def look(self, path: str, item: Migrated) -> None:
        """What the check must know of a file."""
        self._forget(path)
        self._places[path] = None
        _tell(self._briefs, path, item)
        if item.old is not None or item.new is not None or item.edits:
            units = item.old, item.new, item.edits
            place = self._places[path] = self._spilled.add(units)
            self._keep(path, units, place)

    def __getitem__(self, path: str) -> Migrated:
        return Migrated(self._results.get(path), *self._units(path))

    def __delitem__(self, path: str) -> None:
        self._forget(path)
        del self._places[path]
        for known in (*self._briefs, self._supports):
            known.pop(path, None)
        self._promising.discard(path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def unknown(self) -> list[str]:
        """The files of which the check knows nothing."""
        return [path for path in self._places if path not in self._briefs[1]]

    def promising(self) -> list[str]:
        """The files with findings which promise that tf.compat.v1 runs them, as far as it knows them."""
        return [path for path in self._places if path in self._promising and path in self._briefs[1]]

    def supports(self, instead: Instead) -> dict[str, frozenset[str]]:
        """What each file that did not fail uses of the support package."""
        return {**self._supports, **{path: item.result.support for path, item in instead.items()}}

    def sides(self, instead: Instead) -> tuple[Modules, Modules]:
        """The modules before and after, by path in its order."""
        others: tuple[dict[str, Unit], dict[str, Unit]] = ({}, {})
        briefs = tuple({p: brief for p, brief in side.items() if p not in instead} for side in self._briefs)
        for path, item in instead.items():
            _tell(briefs, path, item)
            for side, unit in zip(others, (item.old, item.new), strict=True):
                if unit is not None:
                    side[path] = unit

        def loads(side: int) -> Callable[[str], Unit]:
            def load(path: str) -> Unit:
                before, after, _ = self._units(path) if path not in others[side] else _NONE
                unit = others[side].get(path) or (before, after)[side]
                assert unit is not None
                return unit

            return load

        old, new = (Modules(dict(sorted(side.items())), loads(n)) for n, side in enumerate(briefs))
        return old, new

    def _units(self, path: str) -> _Units:
        place = self._places[path]
        if place is None:
            return _NONE
        known = self._last.get(path)
        if known is None:
            known = self._spilled.get(place)
            self._keep(path, known, place)
        else:
            self._last.move_to_end(path)
        return known

    def _keep(self, path: str, units: _Units, place: Place) -> None:
        self._last_size += size_of(place)
        while self._last and self._last_size > _AT_ONCE:
            self._forget(next(iter(self._last)))
        self._last[path] = units

    def _forget(self, path: str) -> None:
        if self._last.pop(path, None) is not None:
            place = self._places[path]
            assert place is not None
            self._last_size -= size_of(place)


def _tell(briefs: tuple[dict[str, Brief], ...], path: str, item: Migrated) -> None:
    """Keep the briefs of a file's units, before and after, one where these are the same."""
    for side, unit in zip(briefs, (item.old, item.new), strict=True):
        side.pop(path, None)
        if unit is not None:
            side[path] = briefs[0][path] if side is briefs[1] and unit is item.old else Brief.of(unit)


__all__ = ["Looked"]
