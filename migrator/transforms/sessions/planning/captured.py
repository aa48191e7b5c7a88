"""What a function sees from the place where it stands must be what its graph saw."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import RESOURCES
from migrator.analysis.program_items import KEEP, RUN, Item, Obstacle
from migrator.analysis.tree_walk import walk
from migrator.transforms.sessions.helpers import chain, parameter_name
from migrator.transforms.sessions.step import StepFunction
from migrator.transforms.sessions.writing.calls import CallWriter


class PlaceChecks(CallWriter):
    """Refuses functions that would read other values than their graph was built with."""

    def _check_place(self, function: StepFunction, anchor: ast.stmt) -> None:
        """Raise Obstacle where a function beside `anchor` would see other values."""
        self._check_captured(function, anchor)
        self._check_rebound(function)
        self._check_locals(function, anchor)

    def _check_locals(self, function: StepFunction, anchor: ast.stmt) -> None:
        """A function in one method cannot see the local names of another."""
        whole = self.whole
        if whole is None:
            return
        home = next(
            (m for m in whole.builders if any(anchor is node for node in walk(m))), None
        )
        defined = set().union(*(i.flow.defines for i in function.items))
        given = {p.name for p in function.parameters}
        fed = [i for i in self.items if i.kind == k.PLACEHOLDER
               and {parameter_name(n) for n in i.flow.defines} & given]
        for item in [*function.items, *fed]:
            method = self._method(item)
            if method is None or method is home:
                continue
            local = {a.arg for a in method.args.args} | {
                node.id for node in walk(method)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            lost = (item.flow.uses & local) - defined - {whole.owner or ""}
            lost -= set() if item in fed else given
            if lost:
                raise Obstacle(item.stmt, f"{sorted(lost)[0]} is local to {method.name}, which builds only "
                               "a part of the graph", "make it an attribute")

    def _check_captured(self, function: StepFunction, anchor: ast.stmt) -> None:
        """Python values that a function reads must not change after it was traced."""
        defined = set().union(*(i.flow.defines for i in function.items))
        used = set().union(*(i.flow.uses for i in function.items))
        read = used - defined - RESOURCES - {p.name for p in function.parameters}
        for item in self._after(anchor):
            changed = (item.flow.defines | (item.flow.mutates - RESOURCES)) & read
            if not changed:
                continue
            if item.role in (KEEP, RUN) and item.kind in (k.PY, k.OP):
                raise Obstacle(
                    item.stmt,
                    f"{sorted(changed)[0]} changes after the graph was built with it",
                    "use another name for the later value",
                )

    def _after(self, anchor: ast.stmt) -> list[Item]:
        """What happens later than a statement, in the scope that holds it; methods that build are
        in the order of their calls."""
        if not self.shared.owner:
            holds = (p for p in chain(self.program) if enclosing(anchor, p.items) is not None)
            home = next(holds, self.program)
            return [i for i in home.items if i.stmt.lineno > anchor.lineno]
        return self.items[self._end_of(anchor):]

    def _end_of(self, anchor: ast.stmt) -> int:
        """How many items there are up to a statement, those in it included."""
        inside = {id(node) for node in walk(anchor)}
        last = max((n for n, item in enumerate(self.items)
                    if id(item.stmt) in inside or anchor in item.parents), default=-1)
        return last + 1

    def _check_rebound(self, function: StepFunction) -> None:
        """Raise Obstacle where the function would see a later value of a name than its graph did."""
        order = {id(item): i for i, item in enumerate(self.items)}
        given = {p.name for p in function.parameters} | set(function.constants)
        made: set[str] = set()
        own = {name for item in function.items for name in item.flow.defines}
        last: dict[str, Item] = {}
        for item in self.items:
            if item.role == KEEP and item.kind in k.HOISTED - {k.PY}:
                last.update(dict.fromkeys(item.flow.defines, item))
        for item in function.items:
            for name in item.flow.uses - made - given - RESOURCES:
                later = last.get(name)
                if later is not None and order[id(later)] > order[id(item)]:
                    raise Obstacle(later.stmt, f"{name} is bound again after the graph has used it",
                                   "give each of its values a name of its own")
                if later is not None and name in own:
                    raise Obstacle(item.stmt, f"{name} is bound again after the graph has used it",
                                   "give each of its values a name of its own")
            made |= item.flow.defines


def enclosing(stmt: ast.stmt, items: list[Item]) -> tuple[ast.stmt, ...] | None:
    """The compound statements around a statement, None where it is not one of the program's."""
    for item in items:
        if item.stmt is stmt:
            return item.parents
        if stmt in item.parents:
            return item.parents[: item.parents.index(stmt)]
    return None
