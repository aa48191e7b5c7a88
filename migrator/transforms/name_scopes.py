"""`with tf.name_scope(scope)` where scope may be None: TF 1 went back to the outermost scope."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF117"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def may_be_none(function: _Function | None, name: ast.expr) -> bool:
    """Whether an expression is None, or a parameter that callers may leave out and that is never
    assigned: whoever hands one on hands on None."""
    if isinstance(name, ast.Constant):
        return name.value is None
    if function is None or not isinstance(name, ast.Name):
        return False
    given = function.args
    places = [*given.posonlyargs, *given.args]
    pairs = [*zip(reversed(places), reversed(given.defaults), strict=False),
             *zip(given.kwonlyargs, given.kw_defaults, strict=True)]  # fmt: skip
    if not any(
        p.arg == name.id and isinstance(d, ast.Constant) and isinstance(d.value, str | None)
        for p, d in pairs
    ):
        return False
    return not any(
        isinstance(n, ast.Name) and n.id == name.id and isinstance(n.ctx, ast.Store)
        for n in walk(function)
    )


@transform
class NameScopes:
    """TF117: name scopes without a name."""

    name = "name_scopes"
    triggers = frozenset({"tensorflow.name_scope"})
    order = 70

    def run(self, ctx: FileContext) -> str | None:
        if "name_scope" not in ctx.text:
            return None
        lines, edits = Lines(ctx.text), []
        for function, call in _calls(ctx.tree, None):
            names = [*call.args, *(k.value for k in call.keywords if k.arg == "name")]
            if len(names) != 1 or any(k.arg not in ("name", "values") for k in call.keywords):
                continue
            if not may_be_none(function, names[0]) or ctx.suppressed(CODE, call):
                continue
            if ctx.names.resolve_node(call.func) != "tensorflow.name_scope":
                continue
            start, end = lines.span(names[0])
            said = ctx.text[start:end]
            edits.append(Edit(start, end, ('""' if said == "None" else f'{said} or ""',)))
            ctx.change(CODE, call, "TF 2 enters the outermost scope by an empty name", Rung.NATIVE)
        return apply(ctx.text, edits)[0] if edits else None


def _calls(node: ast.AST, function: _Function | None) -> list[tuple[_Function | None, ast.Call]]:
    """The calls below a node, each with the function in which it stands."""
    found: list[tuple[_Function | None, ast.Call]] = []
    for child in ast.iter_child_nodes(node):
        inside = child if isinstance(child, _Function) else function
        if isinstance(child, ast.Call):
            found.append((function, child))
        found += _calls(child, inside)
    return found
