"""`type(x) is tf.Tensor`: tensors of TensorFlow 2 are of subclasses, symbolic or eager."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF147"
_TENSOR = "tensorflow.Tensor"
_SAME, _OTHER = (ast.Is, ast.Eq, ast.In), (ast.IsNot, ast.NotEq, ast.NotIn)


@transform
class TensorTypes:
    """TF147: a type that is compared with tf.Tensor, alone or among others, becomes isinstance.

    Of two types in one expression it is said that they are equal, not what they are: those stay.
    """

    name = "tensor_types"
    triggers = frozenset({_TENSOR})
    order = 74

    def run(self, ctx: FileContext) -> str | None:
        if "type(" not in ctx.text:
            return None
        lines, edits = Lines(ctx.text), []
        for node in walk(ctx.tree):
            if not (isinstance(node, ast.Compare) and len(node.ops) == 1):
                continue
            operator, sides = node.ops[0], [node.left, node.comparators[0]]
            among = isinstance(operator, (ast.In, ast.NotIn))
            if not among and self._asked(ctx, sides[1]) is not None:
                sides.reverse()
            asked, types = self._asked(ctx, sides[0]), sides[1]
            known = types.elts if among and isinstance(types, (ast.List, ast.Tuple, ast.Set)) else (
                [] if among else [types])
            if asked is None or not isinstance(operator, _SAME + _OTHER) or not any(
                ctx.names.resolve_node(t) == _TENSOR for t in known
            ) or ctx.suppressed(CODE, node):
                continue
            parts: list[str | tuple[int, int]] = [
                "not " * isinstance(operator, _OTHER), "isinstance(", lines.span(asked), ", "]
            if len(known) == 1:
                parts.append(lines.span(known[0]))
            else:
                parts.append("(")
                for number, element in enumerate(known):
                    parts += [", " * bool(number), lines.span(element)]
                parts.append(")")
            edits.append(Edit(*lines.span(node), (*parts, ")")))
            ctx.change(CODE, node, "tensors are of subclasses of tf.Tensor")
        return apply(ctx.text, edits)[0] if edits else None

    def _asked(self, ctx: FileContext, node: ast.expr) -> ast.expr | None:
        """What `type` is asked of, if an expression does that."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type" and (
            len(node.args) == 1 and not node.keywords
            and ctx.names.resolve_node(node.func) in (None, "builtins.type")
        ):
            return node.args[0]
        return None
