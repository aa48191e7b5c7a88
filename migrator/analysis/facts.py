"""Where what the index keeps of each module is registered, and found."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Callable

FactFunction = Callable[..., object]
_FACTS: dict[str, FactFunction] = {}


def fact(
    name: str, *words: str, when: Callable[[ast.Module], bool] | None = None, anywhere: bool = False
) -> Callable[[FactFunction], FactFunction]:
    """Register `function(tree, names, module) -> picklable | None` as a per-module fact.

    With `words`, only files in whose text one of them occurs are asked; with `when`, only those of
    whose tree it holds.

    With `anywhere`, files that do not mention TensorFlow are asked as well.

    Facts are computed from `ast` alone in the indexing phase (`tree: ast.Module`,
    `names: NameTable`, `module: str` the dotted module name) for files that mention TensorFlow,
    and are read as ``index.fact("pkg.mod", name)``.
    Modules of `migrator.analysis` whose name starts with ``facts_`` are imported for this.
    """

    def register(function: FactFunction) -> FactFunction:
        function.words = words  # type: ignore[attr-defined]
        function.when = when  # type: ignore[attr-defined]
        function.anywhere = anywhere  # type: ignore[attr-defined]
        _FACTS[name] = function
        return function

    return register


def load_facts() -> dict[str, FactFunction]:
    """Import every ``migrator.analysis.facts_*`` module; the registered fact functions."""
    package = importlib.import_module("migrator.analysis")
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("facts_"):
            importlib.import_module(f"migrator.analysis.{info.name}")
    return dict(sorted(_FACTS.items()))
