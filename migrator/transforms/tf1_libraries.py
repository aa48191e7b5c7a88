"""Imports of other people's libraries that cannot be imported beside TensorFlow 2 themselves."""

from __future__ import annotations

import ast
import functools
import tomllib
from collections.abc import Mapping

from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.resources import rules_dir

CODE = "TF350"


@functools.cache
def libraries() -> Mapping[str, Mapping[str, str]]:
    """`why` and `advice` by the name that is imported (rules/advice/libraries.toml)."""
    return tomllib.loads((rules_dir() / "advice" / "libraries.toml").read_text(encoding="utf-8"))


@transform
class Tf1Libraries:
    """TF350, for a person: a library whose last release was written for TensorFlow 1."""

    name = "tf1_libraries"
    triggers = frozenset[str]()
    words = frozenset(libraries())
    order = 4

    def run(self, ctx: FileContext) -> None:
        for node in walk(ctx.tree):
            for root in _imported(node):
                library = libraries().get(root)
                if library is not None and ctx.index.find(root, ctx.path) is None:
                    fails = library.get("fails", "this import fails")
                    ctx.finding(CODE, node, f"{library['why']}: {fails}", library["advice"])


def _imported(node: ast.AST) -> list[str]:
    """The packages that a statement imports from, each once."""
    if isinstance(node, ast.Import):
        return list(dict.fromkeys(alias.name.partition(".")[0] for alias in node.names))
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module.partition(".")[0]]
    return []
