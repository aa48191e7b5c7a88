"""`np.load(path).item()`: a pickled dict, which NumPy reads only where it is told to since 1.16.3."""

from __future__ import annotations

import ast

from migrator.analysis.tree_walk import children, walk
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence

CODE = "PY205"
_LOAD = "numpy.load"


@transform
class PickledArrays:
    """PY205: ``allow_pickle=True`` where what is read must be a pickle.

    That is where the array is asked for its one object (``.item()``, ``[()]``), or how strings of
    Python 2 are encoded (``encoding="latin1"``), which matters to pickles only. An archive (.npz) is
    asked for keys, too, and needs nothing.
    """

    name = "pickled_arrays"
    triggers = frozenset({_LOAD})
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        if "load(" not in ctx.text:
            return None
        parents = {id(child): node for node in walk(ctx.tree) for child in children(node)}
        lines, edits = Lines(ctx.text), []
        for call in walk(ctx.tree):
            if not isinstance(call, ast.Call) or not call.args:
                continue
            given = {keyword.arg for keyword in call.keywords}
            if given & {"allow_pickle", None} or len(call.args) > 2 or ctx.suppressed(CODE, call):
                continue
            if ctx.names.resolve_node(call.func, values=False) != _LOAD:
                continue
            if "encoding" not in given and not _one_object(call, parents, ctx.tree):
                continue
            end = max(lines.span(a)[1] for a in (*call.args, *(k.value for k in call.keywords)))
            edits.append(Edit(end, end, (", allow_pickle=True",)))
            ctx.change(CODE, call, "NumPy reads pickles only where it is told to since 1.16.3",
                       confidence=Confidence.LIKELY)  # fmt: skip
        return apply(ctx.text, edits)[0] if edits else None


def _one_object(call: ast.Call, parents: dict[int, ast.AST], tree: ast.Module) -> bool:
    """Whether the one object in an array is asked for: at once, or by the name that it is given."""
    if _asked(call, parents):
        return True
    statement = parents.get(id(call))
    if not isinstance(statement, ast.Assign) or statement.value is not call:
        return False
    targets = {ast.unparse(target) for target in statement.targets}
    return any(
        isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
        and ast.unparse(node) in targets and _asked(node, parents)
        for node in walk(tree)
    )


def _asked(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Whether ``node.item()`` or ``node[()]`` is what stands there."""
    holder = parents.get(id(node))
    if isinstance(holder, ast.Attribute) and holder.value is node:
        above = parents.get(id(holder))
        return holder.attr == "item" and isinstance(above, ast.Call) and not above.args
    if isinstance(holder, ast.Subscript) and holder.value is node:
        return isinstance(holder.slice, ast.Tuple) and not holder.slice.elts
    return False
