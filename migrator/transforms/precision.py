"""Puts the precision that `--precision` asks for at the entry of every program."""

from __future__ import annotations

import ast
import io
import re
from typing import TYPE_CHECKING

from migrator.analysis.graph_code import shares_graph
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF410"
_GRAPHS = re.compile(r"\bgraphs(?:_\w+)?\.(?:build|building|function|run)\b")


def entry(tree: ast.Module) -> ast.stmt | None:
    """The first statement of the module's `if __name__ == "__main__":` block."""
    for statement in tree.body:
        if (
            isinstance(statement, ast.If)
            and isinstance(statement.test, ast.Compare)
            and isinstance(statement.test.left, ast.Name)
            and statement.test.left.id == "__name__"
        ):
            return statement.body[0]
    return None


@transform
class Precision:
    """TF410: the dtype policy is set before anything is built."""

    name = "precision"
    triggers = frozenset({"tensorflow.*"})
    order = 93  # it is known by then what builds a graph

    def run(self, ctx: FileContext) -> str | None:
        policy = ctx.options.precision
        if policy == "float32" or "set_policy(" in ctx.text or "__name__" not in ctx.text:
            return None
        first = entry(ctx.tree)
        if first is None or ctx.suppressed(CODE, first):
            return None
        lines = io.StringIO(ctx.text, newline="").readlines()
        line = lines[first.lineno - 1]
        if line[: first.col_offset].strip():
            return None  # `if __name__ == "__main__": main()` on one line
        if _GRAPHS.search(ctx.text) or shares_graph(ctx.index, ctx.path):
            ctx.finding(
                CODE, first,
                f"--precision {policy} is not set: this program builds a graph, whose operations outside "
                "of layers would get two dtypes, and whose optimizers do not scale the loss",
                "on a GPU, let TensorFlow choose the operations: "
                "tf.config.optimizer.set_experimental_options({'auto_mixed_precision': True}) in front, "
                "and scale the loss of float16 by hand; or make its steps tf.functions",
                Rung.MANUAL,
            )
            return None
        end = line[len(line.rstrip("\r\n")) :] or "\n"
        call = f"{ctx.support('precision.set_policy')}({policy!r}){end}"
        lines.insert(first.lineno - 1, line[: first.col_offset] + call)
        ctx.change(
            CODE, first, f"layers compute as {policy} says, variables stay float32",
            Rung.SUPPORT, Confidence.LIKELY,
        )  # fmt: skip
        return "".join(lines)
