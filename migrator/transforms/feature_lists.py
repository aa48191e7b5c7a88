"""`tf.train.Int64List(value=value)` in a function that takes any number: protobuf refuses booleans;
`tf.train.BytesList(value=[name])` in a module of Python 2, whose texts were bytes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.python2 import runs_on_python2
from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY228"
_SYMBOL = "tensorflow.train.Int64List"
_BYTES = "tensorflow.train.BytesList"
_GIVES_BYTES = frozenset({"as_bytes", "encode", "tobytes", "tostring", "SerializeToString", "read"})


@transform
class FeatureLists:
    """PY228: what a parameter brings into an integer field is made an integer, and what a module of Python 2
    puts into one of bytes is made bytes.

    The protobuf of TF 1 took True and False for 1 and 0; today's says "Expected an int, got a
    boolean". Flags such as ``is_crowd`` reach it through helpers that make features.
    """

    name = "feature_lists"
    triggers = frozenset({_SYMBOL, _BYTES})
    order = 86

    def run(self, ctx: FileContext) -> str | None:
        lines = Lines(ctx.text)
        edits = self._bytes(ctx, lines) if runs_on_python2(ctx.index, ctx.path) else []
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

    @staticmethod
    def _bytes(ctx: FileContext, lines: Lines) -> list[Edit]:
        """Texts become bytes: Python 2 had one kind of both, today's protobuf refuses the other."""
        edits = []
        for call in calls_in(ctx.tree):
            value = next((k.value for k in call.keywords if k.arg == "value"), None)
            if value is None or ctx.names.resolve_node(call.func) != _BYTES or ctx.suppressed(CODE, call):
                continue
            base = ast.unparse(call.func).removesuffix(".train.BytesList")
            new = _as_bytes(value, f"{base}.compat.as_bytes") if base.isidentifier() else None
            if new is not None:
                edits.append(Edit(*lines.span(value), (new,)))
                ctx.change(CODE, call, "protobuf takes no texts for bytes", confidence=Confidence.LIKELY)
        return edits


def _as_bytes(value: ast.expr, to_bytes: str) -> str | None:
    """The text that makes bytes of the items of a list; None where they are, or where it is not known."""
    if isinstance(value, ast.Name):
        item = "item" if value.id != "item" else "piece"
        return f"[{to_bytes}({item}) for {item} in {value.id}]"
    if not isinstance(value, ast.List) or not value.elts or all(map(_is_bytes, value.elts)):
        return None
    if any(isinstance(item, ast.Starred) for item in value.elts):
        return None
    return "[" + ", ".join(ast.unparse(item) if _is_bytes(item) else f"{to_bytes}({ast.unparse(item)})"
                           for item in value.elts) + "]"  # fmt: skip


def _is_bytes(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return isinstance(value.value, bytes)
    return isinstance(value, ast.Call) and last_name(value.func) in _GIVES_BYTES


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
