"""What runs on TensorFlow 2 as it stands and means something else there: told at its line.

One module for each such thing, whose function is marked with `tells`.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from migrator.analysis.index import ProjectIndex
from migrator.analysis.parsed import Parsed
from migrator.analysis.tree_walk import calls_in, walk
from migrator.model import Finding, Rung


@dataclass(frozen=True)
class Changed:
    """A file of TensorFlow 1 that a migration changes to the text `now`, or leaves as it is.

    support: what its output uses of the support package. original: the line that the user sees, for one
    of `before`, and of_after for one of `after`, which is `now` but for its line ends. stays: some of it goes
    on as it was, through compat. said: the lines of the original at which a person is asked already.
    """

    path: str
    before: Parsed
    after: Parsed
    now: str
    support: frozenset[str]
    index: ProjectIndex
    original: Callable[[int], int]
    of_after: Callable[[int], int]
    stays: bool
    said: frozenset[int]

    @cached_property
    def modules(self) -> frozenset[str]:
        """Those of the support package that it uses."""
        return frozenset(name.partition(".")[0] for name in self.support)

    def calls_of(self, symbols: Collection[str]) -> Iterator[ast.Call]:
        """The calls in `before` of functions of TensorFlow 1, by their whole names."""
        return (call for call in calls_in(self.before.tree)
                if self.before.names.resolve_node(call.func) in symbols)

    @cached_property
    def assigned(self) -> dict[str, list[ast.expr]]:
        """What names and attributes of `before` are made, each by itself: ``x``, ``self.x``."""
        found: dict[str, list[ast.expr]] = {}
        for node in walk(self.before.tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                found.setdefault(ast.unparse(node.targets[0]), []).append(node.value)
        return found

    @cached_property
    def texts(self) -> list[str]:
        """What `before` holds, and the modules that import it or that it imports."""
        near = {*self.index.importers(self.path), *self.index.imported(self.path)} - {self.path}
        return [self.before.text, *(self.index.text(other) or "" for other in near)]

    @property
    def in_graph(self) -> bool:
        """Whether it goes on in the graph form."""
        return "graphs" in self.modules

    def told(self, code: str, node: ast.expr | ast.stmt, message: str, advice: str,
             rung: Rung = Rung.MANUAL) -> Finding:  # fmt: skip
        """A finding at a node of `before`."""
        return Finding(
            code, self.path, self.original(node.lineno), node.col_offset, message, advice, rung=rung)

    def told_after(self, code: str, line: int, column: int, message: str, advice: str) -> Finding:
        """A finding at a place of `after`."""
        return Finding(code, self.path, self.of_after(line), column, message, advice, rung=Rung.MANUAL)


Teller = Callable[[Changed], Iterator[Finding]]
_TELLERS: list[tuple[tuple[str, ...], Teller, bool]] = []


def tells(*words: str, unchanged: bool = False) -> Callable[[Teller], Teller]:
    """Registers what is asked for the findings of a file that has all of these words.

    unchanged: also of one in which there is nothing to change.
    """

    def register(teller: Teller) -> Teller:
        _TELLERS.append((words, teller, unchanged))
        return teller

    return register


def otherwise(changed: Changed, same: bool) -> Iterator[Finding]:
    """The findings of all that is registered; `same`: the file stays as it is."""
    for words, teller, unchanged in _tellers():
        if all(word in changed.before.text for word in words) and not (
                same and (not unchanged or changed.index.is_migrated)):
            yield from teller(changed)


@cache
def _tellers() -> list[tuple[tuple[str, ...], Teller, bool]]:
    for info in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{info.name}")
    return _TELLERS
