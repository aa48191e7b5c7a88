"""Methods that pandas had until 2.0: `frame.as_matrix()`, `frame = frame.append(row)`, `frame.ix[0]`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.frames import Frames
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, Piece, apply
from migrator.engine.registry import transform
from migrator.model import Confidence

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY236"
_OPTIONS = frozenset({"ignore_index", "verify_integrity", "sort"})
_NAMED = ("index.name", "index_col", "set_index", "rename_axis")  # a row's index has no name
_CELLS = {"set_value": (3, "frame.at[row, column] = value"), "get_value": (2, "frame.at[row, column]")}


@transform
class PandasMethods:
    """PY236: what only frames of pandas have, in a module that imports pandas. A list's `append` gives
    nothing, so that one whose value is kept is a frame's.

    `append` was `pd.concat` with one thing more: what is no frame became one. Where the file tells that it is
    a frame, or a row that has the frame's columns, `pd.concat` is written.
    """

    name = "pandas_methods"
    triggers = frozenset({"pandas.*"})
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), list[Edit]()
        frames: Frames | None = None
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
                    frames = frames or Frames(ctx.tree, ctx.names)
                    edit = self._concatenated(ctx, lines, frames, node)
                    if edit is not None:
                        edits.append(edit)
                        ctx.change(CODE, node, "pandas 2.0 removed append, which was pd.concat",
                                   confidence=Confidence.LIKELY)
                        continue
                    ctx.finding(CODE, node, "pandas 2.0 removed append of frames and series",
                                "Write pd.concat([frame, row]), or frame.loc[label] = row for one row.")
        return apply(ctx.text, edits)[0] if edits else None

    @staticmethod
    def _concatenated(ctx: FileContext, lines: Lines, frames: Frames, call: ast.Call) -> Edit | None:
        """`pd.concat([frame, other])` for ``frame.append(other)``, None where it may give something else."""
        assert isinstance(call.func, ast.Attribute)
        frame, options = call.func.value, {word.arg: word for word in call.keywords}
        if ctx.suppressed(CODE, call) or len(call.args) != 1 or not options.keys() <= _OPTIONS:
            return None
        if not (frames.is_one(frame) and frames.has_types(frame)):
            return None
        other, tail = call.args[0], ""
        given = other.elts if isinstance(other, ast.List) else [other]
        if not given or not all(map(frames.is_one, given)):
            row = frames.row_of(other, frame)
            named = row is not None and any(word.arg == "name" for word in row.keywords)
            numbered = "ignore_index" in options and ast.unparse(options["ignore_index"].value) == "True"
            if row is None or not (numbered or named and not any(word in ctx.text for word in _NAMED)):
                return None
            tail = ".to_frame().T.infer_objects()"
        pieces: list[Piece] = [f"{ctx.require_import('pandas', None, 'pd')}.concat([", lines.span(frame)]
        for part in given:
            pieces += [", ", lines.span(part)]
        pieces.append(f"{tail}]")
        for word in call.keywords:
            pieces += [", ", lines.span(word)]
        return Edit(*lines.span(call), (*pieces, ")"))
