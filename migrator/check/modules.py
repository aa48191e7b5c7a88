"""The units of a project's modules, loaded one at a time, and what is asked of all of them at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from migrator.check.records import Unit


@dataclass(frozen=True, slots=True, eq=False)
class Brief:
    """Of one unit what stays in memory: the attributes that it sets (`stored`; `assigned`: other than in
    the body of a class) and reads, the functions, classes and methods that it defines. One that is the
    same before and after has one brief."""

    stored: tuple[str, ...]
    assigned: tuple[str, ...]
    loaded: tuple[str, ...]
    makes: tuple[str, ...]

    @classmethod
    def of(cls, unit: Unit) -> Brief:
        """The brief of a unit."""
        bodies = (unit.binds, *(made.members for made in unit.classes.values()))
        makes = {
            name for body in bodies for name, bound in body.items() if bound.kind in ("function", "class")
        }
        stored = unit.stored.union(*(made.members for made in unit.classes.values()))
        return cls(_names(stored), _names(unit.stored), _names(unit.loaded), _names(makes))


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(sys.intern, names))  # many files have the same


class Modules(Mapping[str, Unit]):
    """Units by path; `load` gives one of those that have a brief."""

    def __init__(self, briefs: Mapping[str, Brief], load: Callable[[str], Unit]) -> None:
        self._briefs = briefs
        self._load = load

    @classmethod
    def of(cls, units: Mapping[str, Unit]) -> Modules:
        """Units that are in memory."""
        return cls({path: Brief.of(unit) for path, unit in units.items()}, units.__getitem__)

    def __getitem__(self, path: str) -> Unit:
        if path not in self._briefs:
            raise KeyError(path)
        return self._load(path)

    def __contains__(self, path: object) -> bool:
        return path in self._briefs

    def __iter__(self) -> Iterator[str]:
        return iter(self._briefs)

    def __len__(self) -> int:
        return len(self._briefs)

    def brief(self, path: str) -> Brief | None:
        """The brief of a unit, None where there is no such unit."""
        return self._briefs.get(path)

    def assigned(self) -> set[str]:
        """The attributes that any of them sets on an object from outside."""
        return {name for brief in self._briefs.values() for name in brief.assigned}

    def stored(self) -> set[str]:
        """The attributes that any of them sets on anything."""
        return {name for brief in self._briefs.values() for name in brief.stored}

    def makes(self) -> set[str]:
        """The functions, classes and methods that any of them defines."""
        return {name for brief in self._briefs.values() for name in brief.makes}

    def loading(self, attributes: Collection[str]) -> Iterator[str]:
        """The paths of those that read one of these attributes."""
        return (p for p, brief in self._briefs.items() if not set(attributes).isdisjoint(brief.loaded))


__all__ = ["Brief", "Modules"]
