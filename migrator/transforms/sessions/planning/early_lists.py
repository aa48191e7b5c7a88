"""Lists of variables made before the graph is complete: what had been built by then is built there.

``variables = tf.global_variables()`` between the network and its optimizer lists the network's
variables only. A function of its own makes them there; the steps, which come later, reuse them.
"""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import backward_slice
from migrator.analysis.program_items import KEEP, LAZY, TRACE, Item, Obstacle
from migrator.analysis.tree_walk import blocks_in
from migrator.transforms.sessions.helpers import calls_of
from migrator.transforms.sessions.planning.captured import PlaceChecks, enclosing
from migrator.transforms.sessions.step import StepFunction


class EarlyLists(PlaceChecks):
    """Writes the functions that make variables where a program lists them."""

    def _build_early_lists(self, anchor: ast.stmt) -> None:
        """Where something up to `anchor`, behind which the steps stand, lists variables, make those
        that there are by then."""
        for item in self.items[: self._end_of(anchor)]:
            if self._listed_early(item):
                self._build_listed(item)

    def _listed_early(self, item: Item) -> bool:
        """Whether a statement keeps a list of the variables that there are so far."""
        value = self.program.expressions.value
        return item.role == KEEP and (item.kind == k.VARIABLES or id(item) in self.reports or any(
            value(call).kind == k.SAVER and any(
                value(given).kind == k.VARIABLES and not self._of_everything(given)
                for given in [*call.args, *(a.value for a in call.keywords)]
            ) for call in calls_of(item)
        ))

    def _build_listed(self, item: Item) -> None:
        """Put a function that makes the variables so far, and its tracing, before a statement."""
        position = self.items.index(item)
        before = [i for i in self.items[:position] if i.role in (TRACE, LAZY)]
        makers = [i for i in before if self._uses_store(i)]
        key = ("made so far", *map(id, makers))
        if not makers or any(f.key == key for f in self.shared.functions):
            return
        if item.parents_matter or self.style.explicit_variables or not self._store_needed:
            raise _early(item.stmt)
        function = self._maker(before, makers)
        function.key = key
        if not all(p.spec for p in function.parameters):
            raise _early(item.stmt)
        self._elements(function)
        lines = self._function_writer().write(function)
        self._check_place(function, item.stmt)
        made = [] if self.shared.store_made else self._made_store()
        blank = self._blank(item.stmt)
        lines = [*made, *blank, *lines, *blank,
                 "# Tracing makes the variables that are listed here.",
                 f"{function.name}.get_concrete_function()"]
        above = self._above(item.stmt)
        if above is None:
            self.decisions.before.setdefault(id(item.stmt), []).extend(lines)
        else:  # so that comments stay with the statement
            self.decisions.after.setdefault(id(above), []).extend(lines)
        self.shared.functions.append(function)

    def _maker(self, before: list[Item], makers: list[Item]) -> StepFunction:
        """A function of what `makers` need of the statements `before`."""
        wanted: set[str] = set().union(*(i.flow.defines for i in makers))
        chosen = self._with_riders(before, backward_slice(before, wanted)[0])
        inputs = [i for i in chosen if i.kind == k.PLACEHOLDER]
        steps = [i for i in chosen if i not in inputs or self._has_default(i)]
        return StepFunction(
            self.names.fresh("build", "build_variables"), steps, program=self.program,
            parameters=[self._parameter(i.target or "") for i in inputs if i not in steps],
            layers=True, purpose="Makes the variables that are listed below",
        )

    def _made_store(self) -> list[str]:
        """The statement that makes the store, for whoever writes first into it."""
        self.shared.store_made = True
        return [f"{self.style.store} = {self.support.current_store()}()"]

    def _blank(self, stmt: ast.stmt) -> list[str]:
        """The blank lines around a function that goes beside a statement."""
        return [""] if self._nested(stmt) else ["", ""]

    def _nested(self, stmt: ast.stmt) -> bool:
        """Whether a statement ends up indented."""
        if stmt in self.module.body:
            return False
        parents = enclosing(stmt, self.module.items)
        return parents is None or any(id(p) not in self.decisions.opened for p in parents)

    def _above(self, stmt: ast.stmt) -> ast.stmt | None:
        """The statement before another one of the same block, None at module level."""
        blocks = (b for outer in self.program.names.tree.body for b in blocks_in(outer))
        block = next((b for b in blocks if stmt in b[1:]), None)
        return None if block is None else block[block.index(stmt) - 1]


def _early(node: ast.AST) -> Obstacle:
    return Obstacle(node, "variables are listed before the graph is complete",
                    "build the whole graph first, then ask for its variables")
