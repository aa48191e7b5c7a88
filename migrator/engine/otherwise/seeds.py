"""Random numbers that are seeded before TensorFlow is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding


@tells("seed", "import tensorflow")
def seeded_too_early(changed: Changed) -> Iterator[Finding]:
    """`random.seed` in a module that imports TensorFlow further down."""
    seeds: list[ast.stmt] = []
    for statement in changed.before.tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if changed.before.names.resolve_node(statement.value.func) == "random.seed":
                seeds.append(statement)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)) and seeds:
            if any(name.split(".")[0] == "tensorflow" for name in _imported(statement)):
                for seed in seeds:
                    yield changed.told(
                        "PY235", seed,
                        "TensorFlow 2 draws from Python's random numbers while it is imported, further down: "
                        "what is drawn after that is not what was drawn in TensorFlow 1",
                        "Seed after the import, and compare with numbers that were drawn so.",
                    )  # fmt: skip
                return


def _imported(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.ImportFrom):
        return [statement.module or ""]
    return [alias.name for alias in statement.names]
