"""Methods that pandas had until 2.0: `frame.as_matrix()`, `frame = frame.append(row)`, `frame.ix[0]`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY236"
_CELLS = {"set_value": (3, "frame.at[row, column] = value"), "get_value": (2, "frame.at[row, column]")}


@transform
class PandasMethods:
    """PY236: what only frames of pandas have, in a module that imports pandas. A list's `append` gives
    nothing, so that one whose value is kept is a frame's."""

    name = "pandas_methods"
    triggers = frozenset({"pandas.*"})
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), list[Edit]()
        kept = {id(n.value) for n in walk(ctx.tree) if isinstance(n, (ast.Assign, ast.Attribute))}
        for node in walk(ctx.tree):
            match node:
                case ast.Call(func=ast.Attribute(attr="as_matrix") as method, args=[], keywords=[]):
                    if not ctx.suppressed(CODE, node):
                        end = lines.span(method)[1]
                        edits.append(Edit(end - len(method.attr), end, ("to_numpy",)))
                        ctx.change(CODE, node, "pandas 1.0 removed as_matrix")
                case ast.Call(func=ast.Attribute(attr="as_matrix")):
                    ctx.finding(CODE, node, "pandas 1.0 removed as_matrix",
                                "Write frame[columns].to_numpy().")
                case ast.Subscript(value=ast.Attribute(attr="ix")):
                    ctx.finding(CODE, node, "pandas 1.0 removed ix",
                                "Write .loc for labels, .iloc for positions.")
                case ast.Call(func=ast.Attribute(attr=("set_value" | "get_value") as name)) if (
                        len(node.args) == _CELLS[name][0]):
                    ctx.finding(CODE, node, f"pandas 1.0 removed {name}", f"Write {_CELLS[name][1]}.")
                case ast.Call(func=ast.Attribute(attr="append")) if id(node) in kept and (
                        ctx.names.resolve_node(node.func, values=False) is None):
                    ctx.finding(CODE, node, "pandas 2.0 removed append of frames and series",
                                "Write pd.concat([frame, row]), or frame.loc[label] = row for one row.")
        return apply(ctx.text, edits)[0] if edits else None
