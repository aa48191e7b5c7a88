"""Which carriers of sessions a project can do without, once its runs are calls of functions."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable

from migrator.analysis.facts_sessions import carrier_of_parameter
from migrator.analysis.index import ProjectIndex

_ANSWER = "session carriers"


class Carriers:
    """The carriers of a project, and which of them nothing needs."""

    def __init__(self, index: ProjectIndex) -> None:
        facts = {p: found for p, info in index.modules.items()
                 if (found := info.summary.facts.get("sessions"))}
        self._index = index
        self._parent: dict[str, str] = {}
        self._needed: set[str] = set()
        #: function -> (parameter, place) of its parameters for sessions
        self.parameters: dict[str, set[tuple[str, int]]] = defaultdict(set)
        for found in facts.values():
            for name, parameter, place in found["parameters"]:
                self.parameters[name].add((parameter, place))
        for path, found in facts.items():
            self._add(path, found)
        self._roots = {self._find(carrier) for carrier in self._needed}
        self.digest = hashlib.sha256(repr(sorted(
            (p, repr(found)) for p, found in facts.items())).encode()).hexdigest() if facts else ""

    def _add(self, path: str, found: dict[str, object]) -> None:
        links: Iterable[tuple[str, str]] = found["links"]  # type: ignore[assignment]
        for left, right in links:
            self._join(_own(path, left), _own(path, right))
        needs: Iterable[str] = found["needs"]  # type: ignore[assignment]
        self._needed |= {_own(path, carrier) for carrier in needs}
        gives: Iterable[tuple[str, int | str, str]] = found["gives"]  # type: ignore[assignment]
        given: dict[str, int] = defaultdict(int)
        for name, place, carrier in gives:
            taker = self.parameter_at(name, place)
            if taker is None:
                self._needed.add(_own(path, carrier))
                continue
            given[name] += 1
            self._join(_own(path, carrier), carrier_of_parameter(name, taker))
        calls: dict[str, dict[str, int]] = found["calls"]  # type: ignore[assignment]
        values = set(found["values"])  # type: ignore[call-overload]
        for name, takers in self.parameters.items():
            for parameter, place in takers:
                if name in values or not given[name] and any(
                    count > place for meant, count in calls.get(name, {}).items()
                    if "." not in meant or self._index.resolve(meant, path)
                ):
                    self._needed.add(carrier_of_parameter(name, parameter))

    def parameter_at(self, name: str, place: int | str) -> str | None:
        """The parameter for a session that the functions of a name have at a place, or by keyword."""
        found = {parameter for parameter, at in self.parameters.get(name, ()) if place in (at, parameter)}
        return found.pop() if len(found) == 1 else None

    def spare(self, path: str, carrier: str) -> bool:
        """Whether a carrier of the module at `path` can go."""
        return self._find(_own(path, carrier)) not in self._roots

    def _find(self, carrier: str) -> str:
        while (parent := self._parent.get(carrier, carrier)) != carrier:
            carrier = parent
        return carrier

    def _join(self, left: str, right: str) -> None:
        self._parent[self._find(left)] = self._find(right)


def _own(path: str, carrier: str) -> str:
    """Locals belong to their module, other carriers to the project."""
    return f"{path} {carrier}" if carrier.startswith(("local ", "lambda ")) else carrier


def carriers(index: ProjectIndex) -> Carriers:
    """The carriers of a project."""
    found = index.answers.get(_ANSWER)
    if found is None:
        found = index.answers[_ANSWER] = Carriers(index)
    assert isinstance(found, Carriers)
    return found
