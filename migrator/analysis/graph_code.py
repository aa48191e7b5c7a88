"""Which functions of a project build graphs, and which of them are not called by one that does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from migrator.analysis.facts_graph_code import MAIN, MODULE
from migrator.analysis.index import ProjectIndex, absolute_name

Key = tuple[str, str]  # path of a module, name of a unit in it

_ANSWER = "graph code"


def roots(
    index: ProjectIndex, path: str, own: Mapping[str, Mapping[str, Any]]
) -> frozenset[str]:
    """The units of the module at `path`, whose facts are `own`, that build a graph and are called by
    code that does not."""
    facts = {
        p: found for p, info in index.modules.items()
        if p != path and (found := info.summary.facts.get("graph_code"))
    }
    facts[path] = own
    table = _Calls(index, facts)
    building = table.building()
    found = set()
    for unit in own:
        key = path, unit
        if key not in building:
            continue
        callers = table.callers.get(key, frozenset())
        if unit in (MODULE, MAIN) or not callers or not callers <= building or any(
                caller[1] in (MODULE, MAIN) for caller in callers):
            found.add(unit)
    return frozenset(found)


class _Calls:
    """Who calls whom among the units of modules with graph code."""

    def __init__(self, index: ProjectIndex, facts: Mapping[str, Mapping[str, Any]]) -> None:
        self.index, self.facts = index, facts
        self.methods: dict[str, list[Key]] = defaultdict(list)
        for path, units in facts.items():
            for unit in units:
                if "." in unit:
                    self.methods[unit.rpartition(".")[2]].append((path, unit))
        self.callees = {
            (path, unit): self._called(path, found["calls"])
            for path, units in facts.items() for unit, found in units.items()
        }
        self.callers: dict[Key, set[Key]] = defaultdict(set)
        for key, called in self.callees.items():
            for other in called:
                self.callers[other].add(key)

    def _called(self, path: str, calls: list[str]) -> set[Key]:
        found: set[Key] = set()
        for name in calls:
            if name.startswith("."):
                found |= set(self.methods.get(name[1:], ()))
                continue
            home, rest = path, name
            if "." in name or name not in self.facts[path] and f"{name}.__init__" not in self.facts[path]:
                info = self.index.modules.get(path)
                absolute = absolute_name(name, info) if info else None
                hit = self.index.resolve(absolute, path) if absolute else None
                if hit is None:
                    continue
                home, rest = hit[0].path, hit[1]
            units = self.facts.get(home, {})
            for unit in (rest, f"{rest}.__init__", f"{rest}.__call__"):
                if unit in units:
                    found.add((home, unit))
        return found

    def building(self) -> set[Key]:
        """Units that handle a graph, or compute beside calls of such ones."""
        found = {
            (path, unit) for path, units in self.facts.items()
            for unit, own in units.items() if own["direct"]
        }
        grown = True
        while grown:
            grown = False
            for key, called in self.callees.items():
                if key in found or not called & found:
                    continue
                own = self.facts[key[0]][key[1]]
                if own["ops"] or any(self.facts[p][u]["ops"] for p, u in called - found):
                    found.add(key)
                    grown = True
        return found
