"""Puts the functions behind the statements that their graph came from."""

from __future__ import annotations

import ast
import re

from migrator.analysis import graph_kinds as k
from migrator.analysis.program_items import DROP, KEEP, LAZY, RUN, TRACE, Item, Obstacle
from migrator.analysis.tree_walk import calls_in
from migrator.transforms.sessions.helpers import calls_of, chain
from migrator.transforms.sessions.planning.captured import enclosing
from migrator.transforms.sessions.planning.early_lists import EarlyLists
from migrator.transforms.sessions.step import StepFunction
from migrator.transforms.sessions.writing.shared import Sharing


class FunctionPlacer(EarlyLists):
    """Writes the functions and chooses their places."""

    def _place_functions(self) -> None:
        if not self.functions:
            return
        d = self.decisions
        own = set(map(id, self.items if self.shared.owner else self.program.items))
        places: list[ast.stmt] = []
        for function in self.functions:
            function.around = self._shared_path(function)
            places.append(self._anchor(function, own))
            self._check_place(function, places[-1])
        places = self._gathered(places)
        shared = self._shared_parts(places)
        blocks = [(place, self._function_writer().write(function))
                  for place, function in zip(places, self.functions, strict=True)]
        anchors = sorted(places, key=lambda stmt: stmt.lineno)
        first_anchor = anchors[0]
        if self._store_needed and self._needs_build():
            self._build_early_lists(anchors[-1])
        self._move_writers(first_anchor)
        if self._store_needed and not self.shared.store_made and self.style.store and any(
            re.search(rf"\b{re.escape(self.style.store)}\b", line)
            for _, lines in blocks for line in lines
        ):
            d.after.setdefault(id(first_anchor), []).extend(self._made_store())
        for function, (anchor, lines) in zip(self.functions, blocks, strict=True):
            for part in [*shared.pop(id(anchor), []), lines]:
                d.after.setdefault(id(anchor), []).extend([*self._blank(anchor), *part])
            if self.shared.owner:
                kept = f"{self.shared.owner}._{function.name} = {function.name}"
                d.after[id(anchor)].extend(["", kept])
        if self._store_needed and self._needs_build():
            last = anchors[-1]
            self._refuse_early_restore(last)
            lines = self._build_lines()
            d.after[id(last)].extend([*self._blank(last), *lines] if lines else [])
        for anchor in {id(a): a for a, _ in blocks}.values():
            d.after[id(anchor)].extend(self._blank(anchor))

    def _shared_path(self, function: StepFunction) -> tuple[ast.stmt, ...]:
        """The compound statements around all of a function's items and all of its calls."""
        own = {id(item) for item in self.program.items}
        places = [i for i in function.items if i.kind not in (k.PLACEHOLDER, k.ELEMENT)]
        places += [s.run.item for s in self.sites if s.function is function and s.run.item]
        if not all(id(item) in own for item in places):
            return ()
        path = places[0].parents
        for item in places[1:]:
            size = 0
            while size < min(len(path), len(item.parents)) and path[size] is item.parents[size]:
                size += 1
            path = path[:size]
        loops = [i for i, p in enumerate(path) if isinstance(p, (ast.For, ast.While))]
        return path[: loops[0]] if loops else path

    def _shared_parts(self, places: list[ast.stmt]) -> dict[int, list[list[str]]]:
        """The lines of what functions in one place share, by the id of the place."""
        together: dict[tuple[int, ...], list[StepFunction]] = {}
        for place, function in zip(places, self.functions, strict=True):
            key = (id(place), id(function.program), *map(id, function.around))
            together.setdefault(key, []).append(function)
        found: dict[int, list[list[str]]] = {}
        for (place_id, *_), functions in together.items():
            sharing = Sharing(self._function_writer(), self.names.fresh)
            sharing.share(functions)
            found.setdefault(place_id, []).extend(sharing.written)
        return found

    def _gathered(self, places: list[ast.stmt]) -> list[ast.stmt]:
        """Behind the last of the anchors of all functions, where these are in one block."""
        if len({self._around(anchor) for anchor in places}) > 1:
            return places
        last = max(places, key=lambda stmt: stmt.lineno)
        if not self.shared.owner and last.lineno > self._first_run():
            return places
        return [last] * len(places)

    def _move_writers(self, anchor: ast.stmt) -> None:
        """A writer made later than the functions that write with it is made before them."""
        wanted = {f.summaries.writer for f in self.functions if f.summaries is not None}
        called_later = self._beside(anchor) is not self.program.items
        if called_later and not (self._store_needed and self._needs_build()):
            return  # nothing reads the writer before those who call the functions exist
        for item in self._beside(anchor):
            if item.kind != k.WRITER or item.target not in wanted:
                continue
            if id(item.stmt) in self.decisions.dropped:
                continue
            if item.stmt.lineno <= (anchor.end_lineno or anchor.lineno):
                continue
            if item.parents_matter:
                raise Obstacle(item.stmt, "the summary writer is made on some ways only",
                               "make the writer before the training step")
            moved = self._with_needed(item, anchor)
            for other in moved:
                lines = self.source.statement(other.stmt, self.decisions.edits, "")
                self.decisions.dropped.add(id(other.stmt))
                self.decisions.after.setdefault(id(anchor), []).extend(
                    line.rstrip("\n") for line in lines
                )

    def _with_needed(self, writer: Item, anchor: ast.stmt) -> list[Item]:
        """A writer and the paths it is made from, where these can be computed as well before."""
        moved = [writer]
        for other in reversed(self._beside(anchor)):
            if not anchor.lineno < other.stmt.lineno < writer.stmt.lineno or (
                other.role not in (KEEP, RUN)
            ) or not any(other.flow.defines & item.flow.uses for item in moved):
                continue
            if other.kind != k.PY or other.runs or other.parents_matter or not (
                isinstance(other.stmt, ast.Assign) and _computes_path(other.stmt.value)
            ):
                raise Obstacle(writer.stmt, "the summary writer needs values made after the step",
                               "make the writer before the training step")
            moved.insert(0, other)
        return moved

    def _beside(self, anchor: ast.stmt) -> list[Item]:
        """The items of the scope that a statement is in."""
        for program in chain(self.program):
            node = program.scope.node
            if not isinstance(node, ast.FunctionDef) or (
                node.lineno < anchor.lineno <= (node.end_lineno or 0)
            ):
                return program.items
        return self.program.items

    def _needs_build(self) -> bool:
        return self.shared.listed or self._needs_build_here()

    def _needs_build_here(self) -> bool:
        """Whether code of this scope needs the variables before the first step."""
        if self.monitor or self.looped:
            return True
        if self.evaluates:  # it traces the step itself
            return False
        if any(self._lists_variables(function) for function in self.functions):
            return True
        if self._reused_early():
            return True
        for item in self.items:
            if item.role in (KEEP, RUN) and (
                item.kind in (k.SAVER, k.VARIABLES)
                or any(
                    self.program.expressions.value(call).kind in (k.SAVER, k.VARIABLES)
                    for call in calls_of(item)
                )
            ):
                return True
        return False

    def _reused_early(self) -> bool:
        """Whether the first call is of a function that only reuses the variables of others."""
        calls = [site for site in self.sites if site.function is not None]
        first = min(calls, key=lambda site: site.run.call.lineno, default=None)
        if first is None or first.function is None or len(self.functions) < 2:
            return False
        makers = [item for item in first.function.items if self._uses_store(item)]
        return bool(makers) and all(map(self._reuses, makers))

    def _reuses(self, item: Item) -> bool:
        """Whether a statement asks for variables that must be there."""
        opened = [
            part.item.context_expr for program in chain(self.program) for parent in item.parents
            for part in program.with_parts.get(id(parent), ())
        ]
        return any(
            keyword.arg == "reuse" and isinstance(keyword.value, ast.Constant)
            and keyword.value.value is True
            for call in [*calls_of(item), *(n for n in opened if isinstance(n, ast.Call))]
            for keyword in call.keywords
        )

    def _lists_variables(self, function: StepFunction) -> bool:
        """Whether a function, traced first, would read a collection of variables that others make.

        A list of what to train is as good without them: they have no gradient there.
        """
        value = self.program.expressions.value
        trains = (k.TRAIN, k.GRADIENTS)
        listed = [
            item for item in function.items if item.kind == k.VARIABLES or item.kind not in trains
            and any(value(call).kind == k.VARIABLES for call in calls_of(item))
        ]
        missing = self._made_before(listed)
        missing = [item for item in missing if item not in function.items]
        if not missing:
            return False
        for built in self._built_first():
            if built is function:
                break  # what is traced after it is too late
            missing = [item for item in missing if item not in built.items]
        names = set().union(*(item.flow.defines for item in listed))
        readers = [
            item for item in function.items
            if item.kind not in (*trains, k.VARIABLES) and (item in listed or item.flow.uses & names)
            and not self._differentiates(item)
        ]
        if readers and missing:
            raise Obstacle(readers[0].stmt, "variables are listed before the graph is complete",
                           "build the whole graph first, then ask for its variables")
        return bool(readers)

    def _made_before(self, listed: list[Item]) -> list[Item]:
        """Tensor work that makes variables before the last of some items."""
        last = max((self.items.index(item) for item in listed), default=0)
        earlier = (item for item in self.items[:last] if item.role in (TRACE, LAZY))
        return list(filter(self._uses_store, earlier))

    def _differentiates(self, item: Item) -> bool:
        call = item.value.call
        symbol = None if call is None else self.program.expressions.tf_symbol(call.func)
        return symbol == "tensorflow.gradients"

    def _built_first(self) -> list[StepFunction]:
        """The functions that are traced where they are made, so that their variables exist."""
        known = self.functions
        if self.shared.owner:  # those of other methods, which are placed by now
            known = [*(f for f in self.shared.functions if f not in known), *known]
        if self._reused_early():
            known = [f for f in known if not all(
                map(self._reuses, filter(self._uses_store, f.items)))] or known
        return [f for f in known if f.layers and f.trains] or [f for f in known if f.layers][:1]

    def _refuse_early_restore(self, anchor: ast.stmt) -> None:
        """What restores variables must come after the functions that make them."""
        for item in self.items[: self._end_of(anchor)]:
            for call in calls_of(item):
                value = self.program.expressions.value
                maker = call.func.value if isinstance(call.func, ast.Attribute) else call.func
                if item.role in (KEEP, RUN) and value(maker).kind == k.SAVER:
                    raise Obstacle(call, "a checkpoint is used before the graph is complete",
                                   "build the whole graph first, then restore")

    def _build_lines(self) -> list[str]:
        makers = [f for f in self._built_first() if id(f) not in self.shared.built]
        if not makers or (self.shared.built and not any(f.trains for f in makers)):
            return []
        self.shared.built |= set(map(id, makers))
        why = "the functions list" if any(map(self._lists_variables, self.functions)) else (
            "the program lists" if self.reports or not self._needs_build_here() else
            "others reuse" if self._reused_early() else "the checkpoint needs")
        lines: list[str] = [f"# Tracing makes the variables, which {why}."]
        for function in makers:
            if not function.dataset and not all(p.spec for p in function.parameters):
                raise Obstacle(
                    function.items[0].stmt,
                    "the variables are needed before the first step, but its inputs' shapes are "
                    "not known", "give the placeholders shapes and dtypes",
                )
            if function.trains and (self.monitor or self.looped):
                continue  # the loop builds it
            prefix = f"{self.shared.owner}._" if self.shared.owner else ""
            lines.append(f"{prefix}{function.name}.get_concrete_function()")
        return lines if len(lines) > 1 else []

    def _anchor(self, function: StepFunction, own: set[int]) -> ast.stmt:
        """The statement behind which a function goes: the last that its graph came from."""
        candidates = [item for item in function.items if id(item) in own]
        if function.element is not None and id(function.element) in own:
            candidates.append(function.element)
        if not candidates:
            parent = self.program.parent
            if parent is None:
                return self._before_runs()
            candidates = list(function.items) or parent.items[-1:]
        if self.shared.owner:
            return self._outermost(self._last_traced())
        last = max(candidates, key=lambda item: item.stmt.lineno)
        last = max([last, *self._late_writer(function, last)], key=lambda item: item.stmt.lineno)
        return self._outermost(last, function.around)

    def _before_runs(self) -> ast.stmt:
        earlier = [
            item for item in self.program.items
            if item.role in (KEEP, DROP) and item.stmt.lineno < self.sites[0].run.call.lineno
        ]
        if not earlier:
            raise Obstacle(self.sites[0].run.call, "there is no place for the function", "")
        return self._outermost(earlier[-1])

    def _late_writer(self, function: StepFunction, last: Item) -> list[Item]:
        """The writer of a function's summaries, where it cannot be made before the function, but
        is made before all runs, so that the function may as well come after it."""
        first = self._first_run()
        for item in self._beside(last.stmt):
            if function.summaries is None or item.kind != k.WRITER or item.parents_matter or (
                item.target != function.summaries.writer or item.stmt.lineno > first
            ):
                continue
            try:
                self._with_needed(item, last.stmt)
            except Obstacle:
                return [item]
        return []

    def _first_run(self) -> int:
        """The line of the first call of a function."""
        return min((s.run.call.lineno for s in self.sites if s.function is not None), default=0)

    def _outermost(self, item: Item, around: tuple[ast.stmt, ...] = ()) -> ast.stmt:
        """The statement of the graph region's own block that holds `item`."""
        for program in chain(self.program):
            for parent in item.parents:
                if any(parent is outer for outer in around):
                    continue
                parts = program.with_parts.get(id(parent))
                if parts is None and isinstance(parent, (ast.If, ast.For, ast.While, ast.Try)) or (
                    parts is not None
                    and not all(part.kind in ("graph", "session") for part in parts)
                ):
                    return parent
        return item.stmt

    def _around(self, stmt: ast.stmt) -> tuple[int, ...]:
        """The compound statements that stay around a statement, by id."""
        parents = enclosing(stmt, self.items) or ()
        if self.shared.owner:  # methods that build parts of one graph
            return (len(self.source.indent(stmt)),)
        return tuple(id(p) for p in parents if id(p) not in self.decisions.opened)


def _computes_path(node: ast.expr) -> bool:
    """Whether an expression only puts names and texts together, as paths are."""
    return all(
        ast.unparse(call.func).startswith("os.path.")
        or isinstance(call.func, ast.Attribute) and call.func.attr in ("format", "join")
        or isinstance(call.func, ast.Name) and call.func.id in ("str", "int")
        for call in calls_in(node)
    )
