"""`tf.train.Int64List(value=value)` in a function that takes any number: protobuf refuses booleans."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in, walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY228"
_SYMBOL = "tensorflow.train.Int64List"


@transform
class Int64Lists:
    """PY228: what a parameter brings into an integer field is made an integer.

    The protobuf of TF 1 took True and False for 1 and 0; today's says "Expected an int, got a
    boolean". Flags such as ``is_crowd`` reach it through helpers that make features.
    """

    name = "int64_lists"
    triggers = frozenset({_SYMBOL})
    order = 86

    def run(self, ctx: FileContext) -> str | None:
        if "Int64List(" not in ctx.text:
            return None
        lines, edits = Lines(ctx.text), []
        seen: set[int] = set()
        for function in walk(ctx.tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            parameters = {arg.arg for arg in (*function.args.args, *function.args.kwonlyargs)}
            for call in calls_in(function):
                value = next((k.value for k in call.keywords if k.arg == "value"), None)
                new = _integers(value, parameters)
                if new is None or value is None or id(call) in seen or ctx.suppressed(CODE, call):
                    continue
                seen.add(id(call))
                if ctx.names.resolve_node(call.func) != _SYMBOL:
                    continue
                edits.append(Edit(*lines.span(value), (new,)))
                ctx.change(CODE, call, "protobuf takes no booleans for integers any more",
                           confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None


def _integers(value: ast.expr | None, parameters: set[str]) -> str | None:
    """The text that makes integers of a parameter, or of a list of parameters; else None."""
    if isinstance(value, ast.Name) and value.id in parameters:
        item = "item" if value.id != "item" else "number"
        return f"[int({item}) for {item} in {value.id}]"
    if isinstance(value, ast.List) and value.elts and all(
        isinstance(e, ast.Name) and e.id in parameters for e in value.elts
    ):
        return "[" + ", ".join(f"int({ast.unparse(e)})" for e in value.elts) + "]"
    return None
