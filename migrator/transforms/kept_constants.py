"""TF166: ``self.rate = tf.constant(self.rate)`` in a loss or a layer's call, which TensorFlow 1 called once.

Keras 3 calls it once for each function that it traces; the tensor of the first one would be of no use in the
second, and TensorFlow makes no constant of a tensor. Outside of the trace it is a value, of which a constant
can be made again.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF166"
_CONSTANT = "tensorflow.constant"
_KERAS = re.compile(r"\bkeras\b")


def _kept(node: ast.stmt, ctx: FileContext) -> bool:
    """Whether a statement makes an attribute a constant of what it was."""
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call)):
        return False
    call, target = node.value, node.targets[0]
    return (isinstance(target, ast.Attribute) and isinstance(call.func, ast.Attribute) and bool(call.args)
            and ctx.names.resolve_node(call.func) == _CONSTANT
            and ast.unparse(call.args[0]) == ast.unparse(target) and not ctx.suppressed(CODE, node))


def _lifted(nodes: list[ast.stmt], ctx: FileContext, lines: Lines) -> list[Edit]:
    """Statements that stand together, in a block outside of the trace."""
    first = nodes[0]
    assert isinstance(first, ast.Assign) and isinstance(first.value, ast.Call)
    assert isinstance(first.value.func, ast.Attribute)
    module = lines.text[slice(*lines.span(first.value.func.value))]
    indent = " " * first.col_offset
    edits = []
    for node in nodes:
        start = lines.span(node)[0]
        before = f"with {module}.init_scope():\n{indent}    " if node is first else "    "
        edits.append(Edit(start, start, (before,)))
        ctx.change(CODE, node, "a loss is traced again, and the first trace's tensor is of no use")
    return edits


@transform
class KeptConstants:
    """TF166: attributes that become constants of themselves."""

    name = "kept_constants"
    triggers = frozenset({_CONSTANT})
    order = 63

    def run(self, ctx: FileContext) -> str | None:
        if "self." not in ctx.text or not _in_keras(ctx):
            return None
        lines, edits = Lines(ctx.text), []
        for method in (node for node in walk(ctx.tree) if isinstance(node, ast.FunctionDef)):
            if method.name == "__init__" or not method.args.args:
                continue
            together: list[ast.stmt] = []
            for node in [*method.body, None]:
                if node is not None and _kept(node, ctx) and (
                        not together or node.lineno == together[-1].end_lineno + 1):  # type: ignore[operator]
                    together.append(node)
                    continue
                if together:
                    edits += _lifted(together, ctx, lines)
                together = [node] if node is not None and _kept(node, ctx) else []
        return apply(ctx.text, edits)[0] if edits else None


def _in_keras(ctx: FileContext) -> bool:
    """Whether the project has models of Keras: all modules are read once for it."""
    index = ctx.index
    if _KERAS.search(ctx.text) is not None:
        return True
    if CODE not in index.answers:
        index.answers[CODE] = any(_KERAS.search(index.text(path) or "") for path in index.modules)
    return bool(index.answers[CODE])
