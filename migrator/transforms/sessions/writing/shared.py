"""One forward function for what several steps compute alike, in place of a copy in each.

The steps of one program are slices of one graph: as far as they begin with the same statements, these
become a plain function that each of them calls. Whether they are the same is told by their text as it
is written in each, so that a step with another constant keeps its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import takewhile

from migrator.analysis.dataflow import Flow, statement_flow
from migrator.analysis.program_items import Item
from migrator.analysis.tree_walk import walk
from migrator.transforms.sessions.helpers import wrapped
from migrator.transforms.sessions.step import StepFunction
from migrator.transforms.sessions.writing.functions import FunctionWriter
from migrator.transforms.sessions.writing.heads import listed

_LEAST_LINES = 3  # that are worth a function
_MOST_VALUES = 5  # that a person would hand on by position
_STAYS = (ast.Return, ast.Delete, ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)


class Sharing:
    """Finds and writes the forward functions of steps that stand side by side.

    `writer` writes a step, `fresh` a name that nothing uses, the best one first.
    """

    def __init__(self, writer: FunctionWriter, fresh: Callable[..., str]) -> None:
        self.writer = writer
        self.fresh = fresh
        self.written: list[list[str]] = []  # the lines of each function

    def share(self, functions: list[StepFunction], start: int = 0) -> None:
        """Lets `functions`, whose first `start` items are shared already, call what they begin with."""
        for alike in self._going_on(functions, start):
            end = self._common(alike, start)
            shared = next((n for n in range(end, start, -1) if self._take(alike, start, n)), None)
            if shared is not None:
                self.share(alike, shared)
                continue
            for nearer in self._going_on(alike, end):
                self.share(nearer, start)

    def _items(self, function: StepFunction) -> list[Item]:
        return self.writer.forward_items(function)

    def _going_on(self, functions: list[StepFunction], start: int) -> list[list[StepFunction]]:
        """Those of them that go on with the same item after `start` others, two or more each."""
        found: dict[int, list[StepFunction]] = {}
        for function in functions:
            for item in self._items(function)[start : start + 1]:
                found.setdefault(id(item), []).append(function)
        return [alike for alike in found.values() if len(alike) > 1]

    def _common(self, functions: list[StepFunction], start: int) -> int:
        """How many items all functions begin with."""
        together = zip(*(self._items(f)[start:] for f in functions), strict=False)
        return start + sum(1 for _ in takewhile(lambda same: len(set(map(id, same))) == 1, together))

    def _take(self, functions: list[StepFunction], start: int, end: int) -> bool:
        """Whether the items from `start` to `end` have become a function."""
        writer = self.writer
        texts = [writer.stretch(self._items(f)[start:end], f) for f in functions]
        lines = texts[0]
        if any(text != lines for text in texts) or not all(self._apart(f, end) for f in functions):
            return False
        if sum(1 for line in lines if line.strip() and not line.lstrip().startswith("#")) < _LEAST_LINES:
            return False
        body = ast.parse("\n".join(lines))
        if any(isinstance(node, _STAYS) for node in walk(body)):
            return False
        flow = statement_flow(body.body)
        given: list[str] = []
        wanted: list[str] = []
        read_later: list[set[str]] = []  # for each function
        for function in functions:
            before = [n for _, names, _ in function.shared for n in names]
            before += [p.name for p in function.parameters]
            if _flow(function.early).defines & flow.uses:
                return False
            needed = [name for name in dict.fromkeys(before) if name in flow.uses]
            if function is functions[0]:
                given = needed
            elif set(needed) != set(given):
                return False
            later = _flow(writer.later(function, end)).uses
            read_later.append(later)
            wanted += sorted(flow.defines & later - set(wanted))
        places = list(_bound_always(body.body))
        if not 0 < len(wanted) <= _MOST_VALUES or not set(wanted) <= set(places):
            return False
        wanted.sort(key=places.index)
        name = self._write(functions, given, wanted, lines)
        for function, later in zip(functions, read_later, strict=True):
            kept = ", ".join(n if n in later else "_" for n in wanted)
            call = wrapped(f"{kept} = {name}({', '.join(given)})",
                           writer.source.width - 3 * len(writer.step), writer.step)
            function.shared = [*function.shared, (end, wanted, "\n".join(call))]
        return True

    def _apart(self, function: StepFunction, end: int) -> bool:
        """Whether no scope is open from the first `end` items on to the later ones."""
        writer, items = self.writer, self._items(function)
        opened = [{id(parent) for item in part for parent, _ in writer.scopes_around(item, function)}
                  for part in (items[:end], [i for i in function.items if i not in items[:end]])]
        return not opened[0] & opened[1]

    def _write(self, functions: list[StepFunction], given: list[str], wanted: list[str],
               lines: list[str]) -> str:
        """Writes the function, and says what it is called."""
        further = [f"forward_{wanted[0]}"] if functions[0].shared and len(wanted) == 1 else []
        name = self.fresh(*further, "forward", "forward_pass")
        called = " and ".join(f.name for f in functions) if len(functions) == 2 else "the steps"
        text = [f'"""Computes {listed(wanted)} for {called}."""', *lines, f"return {', '.join(wanted)}"]
        if len(wanted) == 1 and len(lines) > 1 and lines[-1].startswith(f"{wanted[0]} = "):
            text[-2:] = [f"return {lines[-1].partition(' = ')[2]}"]
        unit = self.writer.step
        self.written.append([f"def {name}({', '.join(given)}):",
                             *(unit + line if line.strip() else "" for line in text)])
        return name


def _flow(lines: list[str]) -> Flow:
    """What lines of a function's body bind and read."""
    return statement_flow(ast.parse("\n".join(lines)).body)


def _bound_always(statements: list[ast.stmt]) -> Iterator[str]:
    """The names that statements bind on every way through them, in order."""
    for statement in statements:
        if isinstance(statement, ast.With):
            for item in statement.items:
                if item.optional_vars is not None:
                    yield from _targets(item.optional_vars)
            yield from _bound_always(statement.body)
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement.name
        elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                yield from _targets(target)


def _targets(target: ast.expr) -> Iterator[str]:
    yield from (n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
