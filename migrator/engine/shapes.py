"""Whether one expression has, by the way it is computed, at least the rank of another.

TensorFlow 1's `tf.where` took a vector of conditions for a choice of whole rows. Where the condition is
computed element by element from a tensor that has a branch's shape, it has no lower rank than that
branch, so that a vector of conditions chooses between vectors: what TensorFlow 2 does as well.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

Resolve = Callable[[ast.expr], str | None]

# Of one tensor, element by element; the tensor is the first argument.
_OF_ONE = frozenset(
    (
        "abs", "math.abs", "square", "math.square", "sqrt", "math.sqrt", "exp", "math.exp", "log",
        "math.log", "negative", "math.negative", "identity", "stop_gradient", "cast", "to_float",
        "to_double", "to_int32", "to_int64", "to_bfloat16", "ones_like", "zeros_like", "sign", "math.sign",
        "floor", "math.floor", "ceil", "math.ceil", "round", "math.round", "logical_not",
        "math.logical_not", "is_nan", "is_inf", "is_finite", "math.is_nan", "math.is_inf",
        "math.is_finite", "debugging.is_nan", "debugging.is_inf", "debugging.is_finite", "sigmoid",
        "math.sigmoid", "nn.sigmoid", "tanh", "math.tanh", "nn.tanh", "nn.relu",
    )
)  # fmt: skip
# Of two tensors, which broadcast.
_OF_TWO = frozenset(
    name + verb
    for name in ("", "math.")
    for verb in (
        "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and",
        "logical_or", "logical_xor", "maximum", "minimum", "add", "subtract", "multiply",
    )
)  # fmt: skip
_MIXED = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)  # no tensors, in TF 1


def has_rank_of_any(condition: ast.expr, branches: Iterable[ast.expr], resolve: Resolve) -> bool:
    """Whether a condition has at least the rank of one of the branches of its `tf.where`.

    resolve: the canonical name of what a call's function is (``tensorflow.less``).
    """
    given = _operands(condition, resolve)
    return any(_shaped_like(branch, resolve) & given for branch in branches)


def _operands(node: ast.expr, resolve: Resolve) -> frozenset[str]:
    """What an expression is computed from element by element: its rank is no lower than theirs."""
    name = _name(node)
    if name is not None:
        return frozenset((name,))
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        return _operands(node.operand, resolve)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        return _operands(node.left, resolve) | _operands(node.right, resolve)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and not isinstance(node.ops[0], _MIXED):
        return _operands(node.left, resolve) | _operands(node.comparators[0], resolve)
    function = _function(node, resolve)
    if isinstance(node, ast.Call) and function in _OF_ONE | _OF_TWO:
        given = node.args[: 1 if function in _OF_ONE else 2]
        return frozenset[str]().union(*(_operands(argument, resolve) for argument in given))
    return frozenset()


def _shaped_like(node: ast.expr, resolve: Resolve) -> frozenset[str]:
    """The names of tensors whose shape an expression has exactly."""
    name = _name(node)
    if name is not None:
        return frozenset((name,))
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        return _shaped_like(node.operand, resolve)
    if isinstance(node, ast.BinOp):
        for number, other in ((node.left, node.right), (node.right, node.left)):
            if _is_number(number):
                return _shaped_like(other, resolve)
    if isinstance(node, ast.Call) and node.args and _function(node, resolve) in _OF_ONE:
        return _shaped_like(node.args[0], resolve)
    return frozenset()


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def _function(node: ast.expr, resolve: Resolve) -> str:
    if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
        return ""
    return (resolve(node.func) or "").removeprefix("tensorflow.")


def _name(node: ast.expr) -> str | None:
    """A name, or attributes of one: they are the same wherever they stand in one call."""
    if isinstance(node, ast.Attribute):
        owner = _name(node.value)
        return None if owner is None else f"{owner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None
