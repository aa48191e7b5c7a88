"""Random numbers that are seeded before TensorFlow is imported, or that a test expects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in, last_name, walk
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


_GRAPH_SEED = ("tensorflow.set_random_seed", "tensorflow.random.set_random_seed")
_COMPARE = ("assertAllClose", "assertAllEqual", "assertEqual", "assertEquals", "assertAlmostEqual",
            "assertListEqual", "assertNear", "assert_allclose", "assert_array_equal", "assert_almost_equal")


@tells("set_random_seed", "TestCase", unchanged=True)
def expected_draws(changed: Changed) -> Iterator[Finding]:
    """Tests that seed the graph and compare with numbers that are written down."""
    for test in (n for n in walk(changed.before.tree) if isinstance(n, ast.FunctionDef)):
        seeds = [call for call in calls_in(test)
                 if changed.before.names.resolve_node(call.func) in _GRAPH_SEED]
        if seeds and any(last_name(call.func) in _COMPARE and any(map(_written, call.args))
                         for call in calls_in(test)):
            yield changed.told(
                "TF319", seeds[0],
                "TensorFlow 2 draws other numbers after tf.set_random_seed than TensorFlow 1, which counted "
                f"the operations of the graph; what {test.name} compares with may have been drawn so",
                "Where the numbers depend on draws, take those of TensorFlow 2, or give each draw a seed of "
                "its own, with which both draw the same.",
            )  # fmt: skip


def _written(node: ast.expr) -> bool:
    """Whether an argument is a list of numbers, or a number that is no count of a few."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and node.value not in (0.0, 1.0)
    return isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) > 1 and any(
        isinstance(part, (ast.List, ast.Tuple)) or isinstance(part, ast.Constant) and isinstance(
            part.value, float) for part in node.elts)


def _imported(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.ImportFrom):
        return [statement.module or ""]
    return [alias.name for alias in statement.names]
