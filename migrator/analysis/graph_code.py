"""Which functions of a project build graphs, and which of them are not called by one that does."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_graph_code import MAIN, MODULE
from migrator.analysis.index import ProjectIndex, absolute_name
from migrator.analysis.session_carriers import carriers

Key = tuple[str, str]  # path of a module, name of a unit in it

_ANSWER = "graph code"


def roots(
    index: ProjectIndex, path: str, own: Mapping[str, Mapping[str, Any]]
) -> frozenset[str]:
    """The units of the module at `path`, whose facts are `own`, that build a graph and are called by
    code that does not."""
    table = _table(index)
    if not table.says_the_same(path, own):
        facts = {p: found for p, found in table.facts.items() if p != path}
        facts[path] = own
        table = _Calls(index, facts)
    building = table.building
    found = set()
    for unit in own:
        key = path, unit
        if key not in building or key in table.alone:
            continue
        callers = table.callers.get(key, set())
        if unit in (MODULE, MAIN) or not callers or not callers <= building or any(
                caller[1] in (MODULE, MAIN) for caller in callers):
            found.add(unit)
    return frozenset(found)


def shares_graph(index: ProjectIndex, path: str) -> bool:
    """Whether code of other modules builds the graph that the module at `path` builds, or runs it."""
    table = _table(index)
    building = table.building
    own = {key for key in building if key[0] == path}
    if any(other[0] != path for key in own for other in table.around(key) & building):
        return True
    own, building = own - table.alone, building - table.alone
    if not own.isdisjoint(table.enclosed) and path in table.behind_unknown:
        return True
    if not own:
        return False
    neighbours = {*index.imported(path), *index.importers(path)}
    if any((other, MODULE) in building for other in neighbours) or (
            (path, MODULE) in own and any(key[0] in neighbours for key in building)):
        return True
    builders = {key[0] for key in building} - {path}
    return any(  # a script hands what one module builds to another, and has nothing of a graph itself
        not builders.isdisjoint(index.imported(other))
        for other in index.importers(path) if other not in table.facts)


def callers(index: ProjectIndex, path: str, unit: str) -> set[Key]:
    """The units that may call one of the module at `path`."""
    return _table(index).callers.get((path, unit), set())


def builds_around(index: ProjectIndex, path: str) -> bool:
    """Whether the module at `path`, or one that imports it, has code that builds a graph."""
    return not {key[0] for key in _table(index).building}.isdisjoint({path, *index.importers(path)})


def hands_on(index: ProjectIndex, path: str) -> bool:
    """Whether a module without TensorFlow calls what makes tensors, and what builds a graph of them."""
    info = index.modules.get(path)
    return info is not None and "tensor_code" in info.summary.facts and any(
        key[0] == path for key in _table(index).building)


def calls_builders(index: ProjectIndex, path: str, called: Iterable[str]) -> bool:
    """Whether one of the names that code of the module at `path` calls builds a graph."""
    table = _table(index)
    return not table.building.isdisjoint(table.called(path, called))


def digest(index: ProjectIndex, path: str) -> str:
    """A hash of what the answers about a module depend on, beyond the modules that it imports."""
    info = index.modules.get(path)
    if info is None or info.summary.facts.keys().isdisjoint(("graph_code", "tensor_code", "sessions")):
        return ""
    known = index.answers.get((_ANSWER, "digest"))
    if known is None:
        facts = sorted((p, repr(found)) for p, found in _facts(index, "graph_code").items())
        known = hashlib.sha256(
            repr([facts, _table(index).handed_on()]).encode()).hexdigest() + carriers(index).digest
        index.answers[_ANSWER, "digest"] = known
    assert isinstance(known, str)
    return known


def _table(index: ProjectIndex) -> _Calls:
    found = index.answers.get(_ANSWER)
    if found is None:
        found = index.answers[_ANSWER] = _Calls(index, _facts(index, "graph_code"))
    assert isinstance(found, _Calls)
    return found


def _facts(index: ProjectIndex, name: str) -> dict[str, Mapping[str, Mapping[str, Any]]]:
    """The units of all modules that have this fact."""
    return {path: found for path, info in index.modules.items() if (found := info.summary.facts.get(name))}


class _Calls:
    """Who calls whom among the units of modules with graph code, and of those that may make tensors for
    it."""

    def __init__(self, index: ProjectIndex, facts: Mapping[str, Mapping[str, Any]]) -> None:
        self.index, self.facts = index, facts
        self.every = {**facts}
        for path, units in _facts(index, "tensor_code").items():
            self.every[path] = {**units, **facts.get(path, {})}
        self.methods: dict[str, list[Key]] = defaultdict(list)
        for path, units in facts.items():
            for unit in units:
                if "." in unit:
                    self.methods[unit.rpartition(".")[2]].append((path, unit))
        self.callees = {
            key: self.called(key[0], found["calls"], found.get("methods", ()))
            for key, found in self._units()}
        self.callers: dict[Key, set[Key]] = defaultdict(set)
        for key, called in self.callees.items():
            for other in called:
                self.callers[other].add(key)

    def says_the_same(self, path: str, own: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether the facts `own` of a module lead to the same units as those it has here."""
        known = self.facts.get(path, {})
        return known.keys() == own.keys() and all(
            facts["direct"] == known[unit]["direct"] and facts["ops"] == known[unit]["ops"]
            and self._led(path, facts) == self._led(path, known[unit]) for unit, facts in own.items())

    def _led(self, path: str, facts: Mapping[str, Any]) -> tuple[set[Key], set[Key] | None]:
        """The units that a unit with these facts calls, and those outside of the graph that is its own."""
        outside = facts["outside"]
        return (self.called(path, facts["calls"], facts.get("methods", ())),
                None if outside is None else self.called(path, outside))

    def _units(self) -> Iterator[tuple[Key, Mapping[str, Any]]]:
        return (((path, unit), found) for path, units in self.every.items() for unit, found in units.items())

    def called(self, path: str, calls: Iterable[str], methods: Iterable[str] = ()) -> set[Key]:
        """The units that these names may be, where code of the module at `path` calls them; `methods` are
        those of the classes that are called only."""
        found: set[Key] = set()
        own = self.every.get(path, {})
        for name in calls:
            if name.startswith("."):
                found |= set(self.methods.get(name[1:], ()))
                continue
            home, rest = path, name
            if "." in name or name not in own and f"{name}.__init__" not in own:
                info = self.index.modules.get(path)
                absolute = absolute_name(name, info) if info else None
                hit = self.index.definition(absolute, path) if absolute else None
                if hit is None:
                    continue
                home, rest = hit[0].path, hit[1]
            units = self.every.get(home, {})
            for unit in (rest, *(f"{rest}.{method}" for method in ("__init__", "__call__", *methods))):
                if unit in units:
                    found.add((home, unit))
        return found

    @cached_property
    def enclosed(self) -> set[Key]:
        """Functions that only handle graphs of their own."""
        return {key for key, own in self._units()
                if own["outside"] is not None and key[1] not in (MODULE, MAIN)}

    @cached_property
    def alone(self) -> set[Key]:
        """Those of them that no code calls while it builds another graph: who calls them has nothing of a
        graph for that."""
        reached: set[Key] = set()
        to_see = [called for key in self._handling for called in self.inside[key]]
        while to_see:
            key = to_see.pop()
            if key not in reached:
                reached.add(key)
                to_see += self.callees[key]
        return {key for key in self.enclosed - reached if key[0] not in self.behind_unknown}

    @cached_property
    def behind_unknown(self) -> set[str]:
        """The modules to which those that build lead through others that have nothing of a graph: what
        these call of them is not known."""
        seen = {path for path, _ in self._handling}
        to_see, found = list(seen), set()
        while to_see:
            path = to_see.pop()
            for other in self.index.imported(path):
                if path not in self.facts:
                    found.add(other)
                if other not in seen and other not in self.facts:
                    seen.add(other)
                    to_see.append(other)
        return found

    def _is_input(self, key: Key) -> bool:
        """Whether a function only returns what comes next of a data set, which it will return itself."""
        path, unit = key
        info = self.index.modules.get(path)
        summaries = info.summary.facts.get("functions") if info else None
        return bool(summaries and unit in summaries and summaries[unit]["kind"] == k.ELEMENT)

    @cached_property
    def inside(self) -> dict[Key, set[Key]]:
        """What each unit calls, without what a function with a graph of its own calls outside of that."""
        return {key: self.callees[key] - self.called(key[0], own["outside"]) if key in self.enclosed
                else self.callees[key] for key, own in self._units()}

    @cached_property
    def building(self) -> set[Key]:
        """Units that handle a graph, or compute beside calls of such ones."""
        return self._growing(self.alone)

    @cached_property
    def _handling(self) -> set[Key]:
        """The same, where functions with graphs of their own are no others than the rest."""
        return self._growing(set())

    def around(self, key: Key) -> set[Key]:
        """The units that a unit calls, and that call it, with which it may share a graph."""
        return (self.callees[key] - self.alone) | (set() if key in self.alone else self.callers[key])

    def _growing(self, alone: set[Key]) -> set[Key]:
        """`building`, where calls of the units `alone` say nothing of their callers."""
        found = {key for key, own in self._units() if own["direct"] and not self._is_input(key)}
        computes = {key for key, own in self._units() if own["ops"]}
        while True:
            leads = self._up(found, alone)
            makes = self._up(computes - found, alone | found) - found
            new = {key for key in leads - found
                   if key in computes or not makes.isdisjoint(self.callees[key] - alone)}
            between = {key for key in leads - found if any(
                key in self.inside[caller] for caller in self.callers[key] & (found - alone))}
            if not new | between:
                return found
            # what joins has what it calls in its graph: who calls that makes nothing beside it
            found |= between | ({key for key in new if key in computes
                                 or not self.callees[key].isdisjoint(makes - new)} or new)

    def handed_on(self) -> list[tuple[Key, bool, list[Key]]]:
        """The units of modules without graphs that lead to one, and what these call: whether they make
        tensors, and whom they call."""
        seen = self._up(self.building, set())
        to_see = list(seen)
        while to_see:
            new = self.callees.get(to_see.pop(), set()) - seen
            seen |= new
            to_see += new
        return sorted((key, found["ops"], sorted(self.callees[key])) for key, found in self._units()
                      if key in seen and "methods" in found)

    def _up(self, called: set[Key], ending: set[Key]) -> set[Key]:
        """These units and all that lead to them by calls, other than of the units `ending`."""
        found, to_see = set(called), list(called)
        while to_see:
            key = to_see.pop()
            new = self.callers.get(key, set()) - found if key not in ending else set()
            found |= new
            to_see += new
        return found
