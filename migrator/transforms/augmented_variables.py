"""`x += y` of a TF 1 variable made a tensor; of TensorFlow 2's it is an error."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.tree_walk import walk
from migrator.analysis.value_kinds import Parents, Values
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

CODE = "TF148"
_PLAIN = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


@transform
class AugmentedVariables:
    """TF148: ``x = x + y`` where ``x`` was made as a variable: the name is one of a tensor from there."""

    name = "augmented_variables"
    triggers = frozenset({"tensorflow.Variable", "tensorflow.get_variable"})
    order = 4

    def run(self, ctx: FileContext) -> str | None:
        changes = [node for node in walk(ctx.tree) if isinstance(node, ast.AugAssign)
                   and isinstance(node.target, (ast.Name, ast.Attribute))]
        if not changes:
            return None
        values = Values(ctx.tree, ctx.names, Parents(ctx.tree))
        lines, edits = Lines(ctx.text), []
        for node in changes:
            assert isinstance(node.target, (ast.Name, ast.Attribute))
            made = values.assigned(node.target) or []
            if not any(values.kind(value) == k.VARIABLE for value in made) or ctx.suppressed(CODE, node):
                continue
            target, (start, end) = lines.span(node.target), lines.span(node.value)
            sign = ctx.text[target[1] : start].partition("=")[0].strip()
            closed = isinstance(node.value, _PLAIN)
            edits.append(Edit(target[1], start, (" = ", target, f" {sign} ", "" if closed else "(")))
            if not closed:
                edits.append(Edit(end, end, (")",)))
            ctx.change(CODE, node, "variables of TensorFlow 2 refuse it: the name gets what it makes")
        return apply(ctx.text, edits)[0] if edits else None
