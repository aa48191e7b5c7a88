"""Which carriers of sessions a project can do without, once its runs are calls of functions."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable

from migrator.analysis.facts_loaded_graphs import LoadedGraphs
from migrator.analysis.facts_sessions import carrier_of_parameter
from migrator.analysis.index import ProjectIndex

_ANSWER = "session carriers"


class Carriers:
    """The carriers of a project, and which of them nothing needs."""

    def __init__(self, index: ProjectIndex) -> None:
        facts = {p: found for p, info in index.modules.items()
                 if (found := info.summary.facts.get("sessions"))}
        self._index, self._facts = index, facts
        self._parent: dict[str, str] = {}
        self._known: set[str] = set()
        self._needed: set[str] = set()
        self._hooked: set[str] = set()
        self._beside: set[str] = set()
        self._elsewhere: set[str] = set()
        self._asked: set[str] = set()
        #: function -> (parameter, place, how it is named as a value) of its parameters for sessions
        self.parameters: dict[str, set[tuple[str, int, tuple[str, ...]]]] = defaultdict(set)
        for found in facts.values():
            for name, parameter, place, ways in found["parameters"]:
                self.parameters[name].add((parameter, place, tuple(ways)))
        loaded = LoadedGraphs.of(index).modules
        #: whether threads may wait for queues of the program until a session is closed
        self.queues = any(found["queues"] for found in facts.values())
        for path, found in facts.items():
            self._add(path, found)
            if self.queues:
                self._needed |= {_own(path, carrier) for carrier in found["closed"]}
            if path in loaded or found["loads"]:
                # what runs a loaded graph is handed on in the session's place
                self._needed |= {_own(path, carrier) for carrier in found["carriers"]}
        named = {self._find(carrier) for carrier in self._elsewhere}
        self._needed |= {carrier for carrier in self._asked if self._find(carrier) in named}
        self._needed |= self._beside
        self._roots = {self._find(carrier) for carrier in self._needed}
        self._beside = {self._find(carrier) for carrier in self._beside}
        self._hooked = {self._find(carrier) for carrier in self._hooked}
        everything = sorted((p, p in loaded, repr(found)) for p, found in facts.items())
        #: whether a module reads the meta graph that a Saver writes beside a checkpoint
        self.meta_graphs = any({"import_meta_graph", "MetaGraph"} & {*found["loads"]}
                               for found in facts.values())
        self.digest = hashlib.sha256(repr(everything).encode()).hexdigest() if facts else ""

    def _add(self, path: str, found: dict[str, object]) -> None:
        known: Iterable[str] = found["carriers"]  # type: ignore[assignment]
        self._known |= {_own(path, carrier) for carrier in known}
        self._known |= {carrier_of_parameter(name, p) for name, p, *_ in found["parameters"]}  # type: ignore[attr-defined]
        links: Iterable[tuple[str, str]] = found["links"]  # type: ignore[assignment]
        for left, right in links:
            self._join(_own(path, left), _own(path, right))
        for key, kept in (("hooked", self._hooked), ("beside", self._beside),
                          ("elsewhere", self._elsewhere), ("asked", self._asked)):
            some: Iterable[str] = found[key]  # type: ignore[assignment]
            kept |= {_own(path, carrier) for carrier in some}
        needs: Iterable[str] = found["needs"]  # type: ignore[assignment]
        self._needed |= {_own(path, carrier) for carrier in needs}
        inherited: Iterable[tuple[str, str]] = found["inherited"]  # type: ignore[assignment]
        self._needed |= {carrier for carrier, base in inherited if not self._is_ours(base, path)}
        gives: Iterable[tuple[str, int | str, str, bool]] = found["gives"]  # type: ignore[assignment]
        given: dict[str, int] = defaultdict(int)
        for name, place, carrier, sure in gives:
            takers = self.takers(name, place)
            if sure and not takers:
                self._needed.add(_own(path, carrier))
            for taker in takers:
                given[name] += 1
                self._join(_own(path, carrier), taker)
        calls: dict[str, dict[str, int]] = found["calls"]  # type: ignore[assignment]
        values = set(found["values"])  # type: ignore[call-overload]
        for name, found_takers in self.parameters.items():
            for parameter, place, ways in found_takers:
                if values.intersection(ways) or not given[name] and any(
                    count > place for meant, count in calls.get(name, {}).items()
                    if "." not in meant or self._index.resolve(meant, path)
                ):
                    self._needed.add(carrier_of_parameter(name, parameter))

    def _is_ours(self, base: str, path: str) -> bool:
        """Whether a class is the project's: the methods of one of a library are called by that."""
        found = self._index.definition(base, path)
        return found is not None and found[1] in found[0].summary.classes

    def takers(self, name: str, place: int | str) -> list[str]:
        """The carriers that are parameters at a place, or of a name, of the functions called `name`."""
        return sorted({carrier_of_parameter(name, parameter)
                       for parameter, at, _ in self.parameters.get(name, ()) if place in (at, parameter)})

    def spare(self, path: str, carrier: str) -> bool:
        """Whether a carrier that the module at `path` speaks of can go."""
        own = _own(path, carrier)
        return own in self._known and self._find(own) not in self._roots

    def any_spare(self, path: str) -> bool:
        """Whether the module at `path` has carriers that can go, if only to hand sessions on."""
        found = self._facts.get(path) or {"carriers": (), "parameters": ()}
        own = [*found["carriers"], *(carrier_of_parameter(name, p) for name, p, *_ in found["parameters"])]
        return any(self.spare(path, carrier) for carrier in own)

    def apart(self, path: str, carrier: str) -> bool:
        """Whether runs of what a carrier holds stay its own: they may call hooks, or compute with other
        values than those of a session beside it."""
        return self._find(_own(path, carrier)) in self._hooked | self._beside

    def beside(self, path: str, carrier: str) -> bool:
        """Whether what a carrier holds lives at once with another session of its graph."""
        return self._find(_own(path, carrier)) in self._beside

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
