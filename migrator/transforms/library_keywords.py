"""Keywords that libraries took and take no longer, and their values: `numpy.reshape(a, newshape=s)`,
`TSNE(n_iter=500)`, `interp1d(x, y, kind='slinear')`, `numpy.array(x, copy=False)`."""

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
    "matplotlib": ("PY225", "matplotlib 3.6"),
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
#: function -> code, keyword, value, what computes the same now, and why.
_VALUES: dict[str, tuple[str, str, object, object, str]] = {
    # a spline through repeated points, as a curve of rates has them
    "scipy.interpolate.interp1d": (
        "PY222", "kind", "slinear", "linear",
        "scipy 1.10 takes kind='slinear' no longer for all that it took"),
    # NumPy 1 takes None for the same
    "numpy.array": ("PY239", "copy", False, None, "copy=False refuses in NumPy 2 where it must copy"),
}
_INTERPOLATING = frozenset(f"skimage.transform.{name}" for name in ("resize", "rescale", "rotate", "warp"))
_CHANNELS = "multichannel"  # scikit-image's, of all its functions
_WORDS = {_CHANNELS, "order", *(row[1] for row in _VALUES.values())}
_WORDS |= {word for names in _NOW.values() for word in names}


@transform
class LibraryKeywords:
    """PY203, PY222, PY223, PY225, PY227, PY239: arguments are named, and given, as the libraries take them
    now; a shape that follows the array needs no name, so that older versions take it as well."""

    name = "library_keywords"
    triggers = frozenset(f"{name.partition('.')[0]}.*" for name in (*_NOW, *_VALUES, "skimage"))
    order = 86

    def run(self, ctx: FileContext) -> str | None:
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for call in calls_in(ctx.tree):
            if not any(word.arg in _WORDS for word in call.keywords):
                continue
            function = ctx.names.resolve_node(call.func) or ""
            if function in _NOW and not ctx.suppressed(_LIBRARIES[function.partition(".")[0]][0], call):
                edits += self._renamed(ctx, lines, call, function)
            elif function in _VALUES and not ctx.suppressed(_VALUES[function][0], call):
                edits += self._given(ctx, lines, call, function)
            elif function.startswith("skimage.") and not ctx.suppressed("PY227", call):
                edits += self._channels(ctx, lines, call)
                if function in _INTERPOLATING:
                    edits += self._of_truths(ctx, lines, call)
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
    def _channels(ctx: FileContext, lines: Lines, call: ast.Call) -> list[Edit]:
        """`multichannel=True` is the last axis; metrics take it still, and do nothing with it."""
        edits = []
        for word in call.keywords:
            if word.arg == _CHANNELS:
                given = ast.get_source_segment(ctx.text, word.value) or ""
                axis = f"-1 if {given} else None"
                if isinstance(word.value, ast.Constant):
                    axis = "-1" if word.value.value else "None"
                edits.append(Edit(*lines.span(word), (f"channel_axis={axis}",)))
                ctx.change("PY227", call, "scikit-image 0.19 names the axis of the channels")
        return edits

    @staticmethod
    def _of_truths(ctx: FileContext, lines: Lines, call: ast.Call) -> list[Edit]:
        """`resize(mask, shape, order=1)`: what interpolates takes no truth values any more."""
        order = next((word.value for word in call.keywords if word.arg == "order"), None)
        image = call.args[0] if call.args else None
        if not isinstance(image, ast.Name) or order is None or (
                isinstance(order, ast.Constant) and order.value in (0, None)):
            return []
        ctx.change("PY227", call, "scikit-image 0.19 interpolates no truth values")
        end = lines.span(image)[1]
        return [Edit(end, end, (f".astype(float) if {image.id}.dtype == bool else {image.id}",))]

    @staticmethod
    def _given(ctx: FileContext, lines: Lines, call: ast.Call, function: str) -> list[Edit]:
        code, keyword, value, now, why = _VALUES[function]
        said = next((word.value for word in call.keywords if word.arg == keyword), None)
        if not isinstance(said, ast.Constant) or said.value != value:
            return []
        ctx.change(code, call, why)
        return [Edit(*lines.span(said), (repr(now),))]
