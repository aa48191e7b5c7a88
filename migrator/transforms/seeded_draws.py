"""Random tensors with a seed that several calls share: eager calls would continue one another."""

from __future__ import annotations

import ast
from collections import Counter

from migrator.analysis.tree_walk import LOOPS, walk
from migrator.analysis.values import argument
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

CODE = "TF146"
#: Position of the seed: behind shape, two numbers and dtype.
_SEED = 4
_DRAWS = {
    f"tensorflow.{name}": short
    for short, names in {
        "random_uniform": ("random_uniform", "random.uniform"),
        "random_normal": ("random_normal", "random.normal"),
        "truncated_normal": ("truncated_normal", "random.truncated_normal"),
    }.items()
    for name in names
}
_REPEATS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, *LOOPS)


@transform
class SeededDraws:
    """TF146: draws with a seed begin anew in every call, as in every op of a TF 1 graph.

    ``tf.truncated_normal(shape, seed=1)`` for each of several variables gave each the beginning of
    one sequence; eager TensorFlow counts on. A call that is alone with its seed and runs once stays
    TensorFlow's own.
    """

    name = "seeded_draws"
    triggers = frozenset(_DRAWS)
    order = 86

    def run(self, ctx: FileContext) -> str | None:
        calls = [
            (node, short, ast.unparse(seed)) for node in walk(ctx.tree)
            if isinstance(node, ast.Call) and (short := self._draw(ctx, node))
            and (seed := argument(node, _SEED, "seed")) is not None
            and not (isinstance(seed, ast.Constant) and seed.value is None)
        ]
        if not calls:
            return None
        shared = Counter((short, seed) for _, short, seed in calls)
        repeated = {
            id(inner) for node in walk(ctx.tree) if isinstance(node, _REPEATS)
            for inner in walk(node) if isinstance(inner, ast.Call)
        }
        lines, edits = Lines(ctx.text), list[Edit]()
        for call, short, text in calls:
            if shared[short, text] < 2 and id(call) not in repeated or ctx.suppressed(CODE, call):
                continue
            edits.append(Edit(*lines.span(call.func), (ctx.support(f"draws.{short}"),)))
            ctx.change(CODE, call, "eager draws with one seed continue one another; each of these "
                       "begins anew, as ops of a graph do", Rung.SUPPORT,
                       symbol=f"tensorflow.{short}")
        return apply(ctx.text, edits)[0] if edits else None

    @staticmethod
    def _draw(ctx: FileContext, call: ast.Call) -> str:
        if any(isinstance(a, ast.Starred) for a in call.args):
            return ""
        return _DRAWS.get(ctx.names.resolve_node(call.func, values=False) or "", "")
