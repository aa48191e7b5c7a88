"""Keywords that libraries took and take no longer, and their values: `numpy.reshape(a, newshape=s)`,
`TSNE(n_iter=500)`, `interp1d(x, y, kind='slinear')`."""

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

#: library -> code and release.
_LIBRARIES = {
    "numpy": ("PY203", "numpy 2"), "sklearn": ("PY223", "scikit-learn 1.7"),
    "matplotlib": ("PY225", "matplotlib 3.6"), "scipy": ("PY222", "scipy 1.10"),
}
#: function -> keyword -> what it is called now; "" where it had no effect any more.
_NOW = {
    "numpy.reshape": {"newshape": "shape"},
    "numpy.percentile": {"interpolation": "method"},
    "numpy.quantile": {"interpolation": "method"},
    "numpy.nanpercentile": {"interpolation": "method"},
    "numpy.nanquantile": {"interpolation": "method"},
    "numpy.histogram": {"normed": "density"},
    "numpy.histogram2d": {"normed": "density"},
    "numpy.histogramdd": {"normed": "density"},
    "numpy.unravel_index": {"dims": "shape"},
    "numpy.ravel_multi_index": {"shape": "dims"},
    "numpy.corrcoef": {"bias": "", "ddof": ""},
    "sklearn.manifold.TSNE": {"n_iter": "max_iter"},
    "sklearn.preprocessing.OneHotEncoder": {"sparse": "sparse_output"},
    "matplotlib.pyplot.hist": {"normed": "density"},
    "matplotlib.pyplot.grid": {"b": "visible"},
}
#: function -> keyword -> value -> what computes the same now.
_VALUES: dict[str, dict[str, dict[str, str]]] = {
    # a spline through repeated points, as a curve of rates has them, is refused since scipy 1.10
    "scipy.interpolate.interp1d": {"kind": {"slinear": "linear"}},
}
_WORDS = {word for table in (_NOW, _VALUES) for names in table.values() for word in names}


@transform
class LibraryKeywords:
    """PY203, PY222, PY223, PY225: arguments are named as the libraries do now; a shape that follows the
    array needs no name, so that older versions take it as well."""

    name = "library_keywords"
    triggers = frozenset(f"{library}.*" for library in _LIBRARIES)
    order = 86

    def run(self, ctx: FileContext) -> str | None:
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for call in calls_in(ctx.tree):
            if not any(word.arg in _WORDS for word in call.keywords):
                continue
            function = ctx.names.resolve_node(call.func) or ""
            if function not in _NOW and function not in _VALUES or ctx.suppressed(
                    _LIBRARIES[function.partition(".")[0]][0], call):
                continue
            edits += self._renamed(ctx, lines, call, function) if function in _NOW else (
                self._with_values(ctx, lines, call, function))
        return apply(ctx.text, edits)[0] if edits else None

    @staticmethod
    def _renamed(
        ctx: FileContext, lines: Lines, call: ast.Call, function: str
    ) -> list[Edit]:
        try:
            site = read_call(ctx.text, lines, call)
        except (Unreadable, IndexError):
            return []
        now, (code, release) = _NOW[function], _LIBRARIES[function.partition(".")[0]]
        gone: dict[int, str] = {}
        edits = []
        for index, slot in enumerate(site.slots):
            new = now.get(slot.keyword or "")
            if new == "":
                gone[index] = f"{slot.keyword} is gone and was without effect"
            elif new is not None:
                placed = new == "shape" and index == 1 and site.slots[0].keyword is None
                edits.append(Edit(slot.start, slot.value_start, ("" if placed else f"{new}=",)))
                ctx.change(code, call, f"{release} has no argument {slot.keyword} here")
        for piece in without(site, gone):
            edits.append(Edit(piece.start, piece.end, ()))
            ctx.change(code, call, piece.reason)
        return edits

    @staticmethod
    def _with_values(ctx: FileContext, lines: Lines, call: ast.Call, function: str) -> list[Edit]:
        edits = []
        code, release = _LIBRARIES[function.partition(".")[0]]
        for word in call.keywords:
            value = word.value.value if isinstance(word.value, ast.Constant) else None
            now = _VALUES[function].get(word.arg or "", {}).get(value) if isinstance(value, str) else None
            if now is not None:
                edits.append(Edit(*lines.span(word.value), (repr(now),)))
                ctx.change(code, call, f"{release} takes {word.arg}={value!r} no longer for all that it took")
        return edits
