"""`np.array(list(zip(texts, labels)))`: rows of parts of other sizes, which NumPy refuses since 1.24."""

from __future__ import annotations

import ast

from migrator.analysis.facts_zipped import given_pairs, is_paired, paired_names
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung

CODE = "PY233"
_ARRAYS = frozenset({"numpy.array", "numpy.asarray"})


@transform
class RaggedArrays:
    """PY233: pairs of arrays become an array of objects where their sizes differ.

    What holds pairs is read from `zip`: in the same expression, by a name of the file, or by a call, in
    any module of the project, that hands them to the function.
    """

    name = "ragged_arrays"
    triggers = _ARRAYS
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        names = paired_names(ctx.tree)
        inside: dict[int, frozenset[str]] = {}
        for function, parameter in given_pairs(ctx.index, ctx.path, ctx.tree, ctx.names):
            for node in walk(function):
                inside[id(node)] = inside.get(id(node), names) | {parameter}
        lines, edits = Lines(ctx.text), list[Edit]()
        for call in walk(ctx.tree):
            if not (isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords
                    and ctx.names.resolve_node(call.func, values=False) in _ARRAYS):
                continue
            if not is_paired(call.args[0], inside.get(id(call), names)) or ctx.suppressed(CODE, call):
                continue
            edits.append(Edit(*lines.span(call.func), (ctx.support("ragged.array"),)))
            ctx.change(CODE, call, "NumPy makes arrays of parts of several sizes only where it is told to",
                       Rung.SUPPORT, confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None
