"""Logarithms of sigmoids: the kernel of TensorFlow 1 rounded small ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_SIGMOIDS = frozenset(("tensorflow.sigmoid", "tensorflow.nn.sigmoid", "tensorflow.math.sigmoid"))
_LOGS = frozenset(("tensorflow.log", "tensorflow.math.log"))
#: What is added to a sigmoid hides how it was rounded, from here on.
_LARGE = 1e-6


@tells("sigmoid", "log(")
def rounded(changed: Changed) -> Iterator[Finding]:
    """``tf.log(tf.sigmoid(x))``, also with something small added, or of a name that is a sigmoid."""
    tree, names, made = changed.before.tree, changed.before.names, changed.assigned

    def is_sigmoid(node: ast.expr, depth: int = 3) -> bool:
        if isinstance(node, ast.Call):
            return names.resolve_node(node.func) in _SIGMOIDS
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = (node.left, node.right)
            return any(is_sigmoid(side, depth) for side in sides) and not any(map(is_large, sides))
        if not (depth and isinstance(node, (ast.Name, ast.Attribute))):
            return False
        return any(is_sigmoid(value, depth - 1) for value in made.get(ast.unparse(node), []))

    def is_large(node: ast.expr) -> bool:
        values = made.get(node.id, []) if isinstance(node, ast.Name) else [node]
        return any(isinstance(value, ast.Constant) and isinstance(value.value, float) and value.value > _LARGE
                   for value in values)

    for call in calls_in(tree):
        if names.resolve_node(call.func) in _LOGS and call.args and is_sigmoid(call.args[0]):
            yield changed.told(
                "TF154", call,
                "below -16 or so the float32 sigmoid of TensorFlow 1 was rounded, to 0 from -18 on; that of "
                "TensorFlow 2 is exact to its last digits there, so that its logarithm is another one",
                "There is nothing to do where a network never gets so sure. A loss that stood still at the "
                "logarithm of what is added goes on changing; tf.math.log_sigmoid(x) does not round.",
            )  # fmt: skip
