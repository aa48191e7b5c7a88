"""Keywords that NumPy took and takes no longer: `numpy.reshape(a, newshape=s)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in
from migrator.engine.callsite import Unreadable, read_call
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.keywords import without
from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY203"
#: function -> keyword -> what it is called now; "" where it had no effect any more.
_NOW = {
    "reshape": {"newshape": "shape"},
    "percentile": {"interpolation": "method"},
    "quantile": {"interpolation": "method"},
    "nanpercentile": {"interpolation": "method"},
    "nanquantile": {"interpolation": "method"},
    "histogram": {"normed": "density"},
    "histogram2d": {"normed": "density"},
    "histogramdd": {"normed": "density"},
    "unravel_index": {"dims": "shape"},
    "ravel_multi_index": {"shape": "dims"},
    "corrcoef": {"bias": "", "ddof": ""},
}
_WORDS = {word for names in _NOW.values() for word in names}


@transform
class NumpyKeywords:
    """PY203: arguments are named as NumPy 2 does; a shape that follows the array needs no name, so that
    older versions take it as well."""

    name = "numpy_keywords"
    triggers = frozenset({"numpy.*"})
    order = 86

    def run(self, ctx: FileContext) -> str | None:
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for call in calls_in(ctx.tree):
            if not any(word.arg in _WORDS for word in call.keywords):
                continue
            module, _, function = (ctx.names.resolve_node(call.func) or "").rpartition(".")
            if module == "numpy" and function in _NOW and not ctx.suppressed(CODE, call):
                edits += self._renamed(ctx, lines, call, _NOW[function])
        return apply(ctx.text, edits)[0] if edits else None

    @staticmethod
    def _renamed(
        ctx: FileContext, lines: Lines, call: ast.Call, now: dict[str, str]
    ) -> list[Edit]:
        try:
            site = read_call(ctx.text, lines, call)
        except (Unreadable, IndexError):
            return []
        gone: dict[int, str] = {}
        edits = []
        for index, slot in enumerate(site.slots):
            new = now.get(slot.keyword or "")
            if new == "":
                gone[index] = f"{slot.keyword} is gone and was without effect"
            elif new is not None:
                placed = new == "shape" and index == 1 and site.slots[0].keyword is None
                edits.append(Edit(slot.start, slot.value_start, ("" if placed else f"{new}=",)))
                ctx.change(CODE, call, f"numpy 2 has no argument {slot.keyword} here")
        for piece in without(site, gone):
            edits.append(Edit(piece.start, piece.end, ()))
            ctx.change(CODE, call, piece.reason)
        return edits
