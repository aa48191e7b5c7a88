"""`x.op.name` outside a graph: eager variables have no op, but they still have their name.

An eager tensor has none; where `x` was made by a TensorFlow call with a literal ``name=``, in the
same function or in one that the project asks for such a name, the tensor is given that name.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.facts_op_names import assigned_calls, functions_of, owners_of_op_names
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF131"
_TAIL = ".op.name"
_VARIABLES = frozenset({"tensorflow.Variable", "tensorflow.get_variable"})  # these have a name


def op_names(tree: ast.Module) -> list[ast.Attribute]:
    """The `x.op.name` expressions of a module that are read."""
    return [
        node
        for node in walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "name"
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "op"
    ]


def named_calls(ctx: FileContext) -> list[tuple[ast.Call, ast.expr]]:
    """TensorFlow calls whose result is asked for the name that they give it, and that name."""
    asked = _asked_here(ctx)
    if not asked and _TAIL not in ctx.text:
        return []
    found: dict[int, tuple[ast.Call, ast.expr]] = {}
    top = {id(node) for node in ctx.tree.body}
    for function in functions_of(ctx.tree):
        owners = owners_of_op_names(function)
        calls: list[ast.Call] = []
        if function.name in asked and id(function) in top:
            returned = [n.value for n in walk(function) if isinstance(n, ast.Return)]
            owners |= {value.id for value in returned if isinstance(value, ast.Name)}
            calls += [value for value in returned if isinstance(value, ast.Call)]
        if owners:
            calls += assigned_calls(function, owners)
        for call in calls:
            name = next((k.value for k in call.keywords if k.arg == "name"), None)
            if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
                continue
            made = ctx.names.resolve_node(call.func) or ""
            if made.startswith("tensorflow.") and made not in _VARIABLES:
                found[id(call)] = call, name
    return list(found.values())


def _asked_here(ctx: FileContext) -> set[str]:
    """Functions of this module whose result some module asks for the name of its op."""
    prefix = f"{ctx.module_name}."
    asked: set[str] = set()
    for path in (ctx.path, *ctx.index.importers(ctx.path)):
        for name in ctx.index.fact(path, "op_names") or ():
            if name.startswith(prefix):
                asked.add(name[len(prefix) :])
    return asked


@transform
class OpNames:
    """TF131: the name of a variable or tensor by way of its op."""

    name = "op_names"
    triggers = frozenset({"tensorflow.*"})
    order = 70

    def run(self, ctx: FileContext) -> str | None:
        named = named_calls(ctx)
        if _TAIL not in ctx.text and not named:
            return None
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for call, name in named:
            if ctx.suppressed(CODE, call):
                continue
            start, end = lines.span(call)
            first, last = lines.span(name)
            written = ctx.text[first:last]
            edits.append(Edit(start, start, (f"{ctx.support('names.named')}(",)))
            edits.append(Edit(end, end, (f", {written})",)))
            ctx.change(CODE, call, "an eager tensor keeps no name by itself", Rung.SUPPORT)
        for node in op_names(ctx.tree):
            assert isinstance(node.value, ast.Attribute)
            assert node.end_lineno and node.end_col_offset
            owner = node.value.value
            end = lines.offset(node.end_lineno, node.end_col_offset)
            tail = end - len(_TAIL)
            if ctx.text[tail:end] != _TAIL or ctx.suppressed(CODE, node):
                continue  # spread over lines
            start = lines.offset(owner.lineno, owner.col_offset)
            edits.append(Edit(start, start, (f"{ctx.support('names.op_name')}(",)))
            edits.append(Edit(tail, end, (")",)))
            ctx.change(CODE, node, "eager variables have a name but no op", Rung.SUPPORT)
        return apply(ctx.text, edits)[0] if edits else None
