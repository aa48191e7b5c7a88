"""Which TF 1 symbols a recorded case runs, read from its old code.

A case names a symbol where it writes it out (`tf.train.Saver`, also through `slim = tf.contrib.slim`),
and a method where it calls it on what a class of TensorFlow made (`saver = tf.train.Saver()`, then
`saver.save`), or where a class of its own overrides it for TensorFlow to call.
"""

from __future__ import annotations

import ast
from collections import defaultdict


def named(source: str) -> set[str]:
    """Dotted names as written (``tf.nn.relu``, ``tf.train.Saver.save``) of one case.

    Raises SyntaxError.
    """
    reader = _Reader()
    tree = ast.parse(source)
    for _ in range(3):  # a name may be bound after a function that uses it
        reader.visit(tree)
    return reader.found


class _Reader(ast.NodeVisitor):
    def __init__(self) -> None:
        self.bound: dict[str, set[str]] = defaultdict(set)
        self.found: set[str] = set()
        self.bases: list[set[str]] = []

    def dotted(self, node: ast.AST) -> set[str]:
        """What an expression may be called; a call is called what it calls."""
        if isinstance(node, ast.Name):
            if node.id == "tf":
                return {"tf"}
            if node.id == "self" and self.bases:
                return self.bases[-1]
            return self.bound[node.id]
        if isinstance(node, ast.Attribute):
            return {f"{head}.{node.attr}" for head in self.dotted(node.value)}
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super" and self.bases:
                return self.bases[-1]
            return self.dotted(node.func)
        if isinstance(node, (ast.List, ast.Tuple)):
            return {name for item in node.elts for name in self.dotted(item)}
        return set()

    def bind(self, target: ast.AST | None, value: ast.AST) -> None:
        if isinstance(target, ast.Name):
            self.bound[target.id] |= self.dotted(value)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.found |= self.dotted(node)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.bind(target, node.value)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self.bind(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.bind(node.target, node.iter)
        self.generic_visit(node)

    def visit_withitem(self, node: ast.withitem) -> None:
        self.bind(node.optional_vars, node.context_expr)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        bases = {name for base in node.bases for name in self.dotted(base)}
        self.bound[node.name] |= bases
        methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        self.found |= {f"{base}.{method}" for base in bases for method in methods}
        self.bases.append(bases)
        self.generic_visit(node)
        self.bases.pop()
