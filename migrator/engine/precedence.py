"""Operator precedence of Python expressions, to put parentheses only where they are needed."""

from __future__ import annotations

import ast

NAMED, LAMBDA, CONDITION, OR, AND, NOT, COMPARE = range(7)
BIT_OR, BIT_XOR, BIT_AND, SHIFT, ADD, MULTIPLY, UNARY, POWER, AWAIT, ATOM = range(7, 17)

_BINARY: dict[type, int] = {
    ast.BitOr: BIT_OR,
    ast.BitXor: BIT_XOR,
    ast.BitAnd: BIT_AND,
    ast.LShift: SHIFT,
    ast.RShift: SHIFT,
    ast.Add: ADD,
    ast.Sub: ADD,
    ast.Mult: MULTIPLY,
    ast.MatMult: MULTIPLY,
    ast.Div: MULTIPLY,
    ast.FloorDiv: MULTIPLY,
    ast.Mod: MULTIPLY,
    ast.Pow: POWER,
}


def precedence(node: ast.expr) -> int:
    """How tightly an expression holds together; ATOM never needs parentheses."""
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)]
    if isinstance(node, ast.UnaryOp):
        return NOT if isinstance(node.op, ast.Not) else UNARY
    if isinstance(node, ast.BoolOp):
        return OR if isinstance(node.op, ast.Or) else AND
    if isinstance(node, ast.Compare):
        return COMPARE
    if isinstance(node, ast.IfExp):
        return CONDITION
    if isinstance(node, ast.Lambda):
        return LAMBDA
    if isinstance(node, (ast.NamedExpr, ast.Yield, ast.YieldFrom)):
        return NAMED
    if isinstance(node, ast.Await):
        return AWAIT
    return ATOM


def hole_context(node: ast.expr, parent: ast.AST | None) -> int:
    """The least precedence that an expression in `node`'s place of `parent` may have bare."""
    if isinstance(parent, ast.BinOp):
        level = _BINARY[type(parent.op)]
        if isinstance(parent.op, ast.Pow):
            return AWAIT if node is parent.left else UNARY
        return level if node is parent.left else level + 1
    if isinstance(parent, ast.UnaryOp):
        return NOT if isinstance(parent.op, ast.Not) else UNARY
    if isinstance(parent, ast.BoolOp):
        return (OR if isinstance(parent.op, ast.Or) else AND) + 1
    if isinstance(parent, ast.Compare):
        return BIT_OR
    if isinstance(parent, ast.IfExp):
        return CONDITION if node is parent.orelse else OR
    if isinstance(parent, ast.Attribute):
        return ATOM
    if isinstance(parent, ast.Subscript):
        return ATOM if node is parent.value else LAMBDA
    if isinstance(parent, ast.Call):
        return ATOM if node is parent.func else LAMBDA
    if isinstance(parent, ast.Starred):
        return BIT_OR
    if isinstance(parent, ast.Await):
        return ATOM
    return LAMBDA
