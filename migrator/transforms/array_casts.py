"""`np.cast[T](x)`, `dtype=np.integer`: NumPy 2 has arrays' `astype` only, and wants types with a size."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY229"
#: A kind of types -> the type that NumPy 1 took for it.
_KINDS = {
    "integer": "int64", "signedinteger": "int64", "unsignedinteger": "uint64", "floating": "float64",
    "inexact": "float64", "number": "float64", "complexfloating": "complex128",
}
_MAKERS = frozenset(f"numpy.{name}" for name in ("array", "asarray", "empty", "ones", "zeros"))


@transform
class ArrayCasts:
    """PY229: casts by the table `numpy.cast`, which NumPy 2 does not have; types of arrays that are kinds."""

    name = "array_casts"
    triggers = frozenset({"numpy.*"})
    order = 10  # before the table says that the name is gone

    def run(self, ctx: FileContext) -> str | None:
        kinds, casts = any(f".{kind}" in ctx.text for kind in _KINDS), ".cast[" in ctx.text
        if not kinds and not casts:
            return None
        lines = Lines(ctx.text)
        edits = [*(self._kinds(ctx, lines) if kinds else ()), *(self._casts(ctx, lines) if casts else ())]
        return apply(ctx.text, edits)[0] if edits else None

    @staticmethod
    def _kinds(ctx: FileContext, lines: Lines) -> list[Edit]:
        edits = []
        for call in calls_in(ctx.tree):
            given = [keyword.value for keyword in call.keywords if keyword.arg == "dtype"]
            if isinstance(call.func, ast.Attribute) and call.func.attr == "astype":
                given += call.args[:1]
            elif ctx.names.resolve_node(call.func) in _MAKERS:
                given += call.args[1:2]
            for kind in given:
                if isinstance(kind, ast.Attribute) and kind.attr in _KINDS and (
                        ctx.names.resolve_node(kind) == f"numpy.{kind.attr}"
                        and not ctx.suppressed(CODE, call)):
                    end = lines.span(kind)[1]
                    edits.append(Edit(end - len(kind.attr), end, (_KINDS[kind.attr],)))
                    ctx.change(CODE, call, "NumPy 2 takes no kind for a type", Rung.NATIVE)
        return edits

    @staticmethod
    def _casts(ctx: FileContext, lines: Lines) -> list[Edit]:
        edits = []
        for call in calls_in(ctx.tree):
            if not isinstance(call.func, ast.Subscript):
                continue
            table = call.func.value
            if not isinstance(table, ast.Attribute) or len(call.args) != 1 or call.keywords:
                continue
            if ctx.names.resolve_node(table) != "numpy.cast" or ctx.suppressed(CODE, call):
                continue
            start, end = lines.span(call)
            said = {part: ctx.text[slice(*lines.span(node))]
                    for part, node in (("np", table.value), ("kind", call.func.slice))}  # fmt: skip
            edits.append(Edit(start, lines.span(call.args[0])[0], (f"{said['np']}.asarray(",)))
            edits.append(Edit(end, end, (f".astype({said['kind']})",)))
            ctx.change(CODE, call, "NumPy 2 casts arrays by astype", Rung.NATIVE)
        return edits
