"""`if bias:` of a variable or None: TensorFlow 1's variables were true, TensorFlow 2 asks for their value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk
from migrator.analysis.value_kinds import Parents, Values
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF157"
_MAKERS = frozenset({
    "tensorflow.get_variable", "tensorflow.Variable", "tensorflow.train.get_or_create_global_step",
    "tensorflow.train.create_global_step", "tensorflow.train.get_global_step",
})  # fmt: skip


@transform
class VariableTruth:
    """TF157: conditions ask whether there is a variable, not what it holds.

    Only names and attributes that are given nothing but variables and None: of those TensorFlow 1 asked
    nothing else. A variable of TensorFlow 2 refuses to be a condition in a graph, and eager ones that hold
    0 are false.
    """

    name = "variable_truth"
    triggers = frozenset({"tensorflow.*"})
    order = 9  # while what makes variables is called as in TensorFlow 1

    def run(self, ctx: FileContext) -> str | None:
        tests = [test for node in walk(ctx.tree) for test in _tests(node)
                 if isinstance(test, (ast.Name, ast.Attribute)) or _is_not(test)]
        if not tests:
            return None
        givers = _Givers(ctx, ctx.tree, ctx.names, ctx.path)
        lines, edits = Lines(ctx.text), dict[int, Edit]()
        for test in tests:
            asked = test.operand if isinstance(test, ast.UnaryOp) else test
            if id(asked) in edits or not givers.only_variables(asked) or ctx.suppressed(CODE, test):
                continue
            said = " is None" if asked is not test else " is not None"
            edits[id(asked)] = Edit(*lines.span(test), (lines.span(asked), said))
            ctx.change(CODE, test, "a variable of TensorFlow 1 was true, whatever it held")
        return apply(ctx.text, list(edits.values()))[0] if edits else None


def _tests(node: ast.AST) -> Iterator[ast.expr]:
    """The parts of a condition that are asked whether they are true."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        yield from _parts(node.test)
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield from _parts(test)


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _parts(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and not _is_not(test):
        yield from _parts(test.operand)
    else:
        yield test


def _is_not(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(
        test.operand, (ast.Name, ast.Attribute))


class _Givers:
    """What gives variables, in one module of the project."""

    def __init__(self, ctx: FileContext, tree: ast.Module, names: NameTable, path: str,
                 depth: int = 3) -> None:  # of modules that are followed
        self.ctx, self.tree, self.names, self.path, self.depth = ctx, tree, names, path, depth
        self._asked = set[int]()  # ids of functions that are being looked into
        self.values = Values(tree, names, Parents(tree), set())

    def only_variables(self, asked: ast.expr) -> bool:
        """Whether a name is given variables, and besides them nothing but None."""
        given = [value for value in self.values.assigned(asked) or []
                 if not (isinstance(value, ast.Constant) and value.value is None)]
        return bool(given) and all(isinstance(value, ast.Call) and self._makes(value) for value in given)

    def _makes(self, call: ast.Call) -> bool:
        name = self.names.resolve_node(call.func, values=False)
        if name in _MAKERS:
            return True
        if name is None and isinstance(call.func, ast.Name):
            here = [s for s in self.tree.body if isinstance(s, ast.FunctionDef) and s.name == call.func.id]
            return len(here) == 1 and self._returns(here[0])
        found = self.ctx.index.definition(name, self.path) if name and self.depth else None
        tree = self.ctx.index.tree(found[0].path) if found is not None else None
        if found is None or tree is None:
            return False
        named = [s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == found[1]]
        other = _Givers(self.ctx, tree, NameTable.of(tree), found[0].path, self.depth - 1)
        return len(named) == 1 and other._returns(named[0])

    def _returns(self, function: ast.FunctionDef) -> bool:
        """Whether a function returns a variable, wherever it does."""
        if id(function) in self._asked:
            return False
        self._asked.add(id(function))
        given = [node.value for node in walk(function) if isinstance(node, ast.Return)]
        found = bool(given) and all(
            isinstance(value, ast.Call) and self._makes(value)
            or isinstance(value, ast.Name) and self.only_variables(value) for value in given)
        self._asked.discard(id(function))
        return found
