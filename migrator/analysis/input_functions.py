"""Functions that build a `tf.data` pipeline and return the elements of its iterator."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrator.analysis import graph_kinds as k
from migrator.analysis.graph_values import Expressions
from migrator.analysis.program import Program
from migrator.analysis.program_items import Item
from migrator.analysis.values import Value


@dataclass(frozen=True)
class ReturnedElements:
    """A function whose `returns` give the next element of one one-shot iterator over `dataset`.

    `gone` are the statements that only made the iterator and took the element from it.
    """

    dataset: ast.expr
    gone: tuple[ast.stmt, ...]
    returns: tuple[ast.Return, ...]


def iterated_dataset(value: Value, expressions: Expressions) -> ast.expr | None:
    """The data set expression behind an iterator (`make_one_shot_iterator` and its variants)."""
    call = value.call
    if call is None:
        return None
    symbol = expressions.tf_symbol(call.func) or ""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else symbol.rpartition(".")[2]
    if name not in ("make_one_shot_iterator", "make_initializable_iterator"):
        return None
    if symbol.startswith(("tensorflow.data.make", "tensorflow.contrib.data.make")):
        return call.args[0] if call.args else None
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def returned_elements(program: Program) -> ReturnedElements | None:
    """What a function returns if that is its iterator's next element, whole and unchanged."""
    elements = [item for item in program.items if item.kind == k.ELEMENT]
    returns = [item for item in program.items if isinstance(item.stmt, ast.Return)]
    if len(returns) != 1 or returns[0].parents:
        return None
    statement = returns[0].stmt
    assert isinstance(statement, ast.Return)
    if statement.value is None:
        return None
    value = program.expressions.value(statement.value)
    gone: list[ast.stmt] = []
    if value.kind == k.ELEMENT and value.call is not None and value.base is not None and (
        isinstance(statement.value, ast.Call)
    ):
        iterator = value.base
    else:
        if len(elements) != 1 or not _same(statement.value, elements[0]):
            return None
        names = elements[0].flow.defines
        others = list(program.items)
        if not elements[0].parents_matter:  # ahead of it the names had other values
            while others.pop(0) is not elements[0]:
                pass
        if any(names & i.flow.uses for i in others if i is not returns[0]):
            return None
        gone.append(elements[0].stmt)
        iterator = elements[0].value.base or Value(k.PY)
    if iterator.kind != k.ITERATOR:
        return None
    call = iterator.call
    if call is None or "initializable" in ast.unparse(call.func):
        return None
    dataset = iterated_dataset(iterator, program.expressions)
    if dataset is None:
        return None
    if iterator.source:
        made = [item for item in program.items if item.target == iterator.source]
        readers = [
            item for item in program.items
            if iterator.source in item.flow.uses and item.stmt not in gone and item is not returns[0]
        ]
        if len(made) != 1 or readers or made[0].parents:
            return None
        gone.append(made[0].stmt)
    return ReturnedElements(dataset, tuple(gone), (statement,))


def _same(node: ast.expr, item: Item) -> bool:
    """Whether an expression is the target that an item assigns, part by part."""
    if not isinstance(item.stmt, ast.Assign) or len(item.stmt.targets) != 1:
        return False
    target = item.stmt.targets[0]
    plain = (ast.Name, ast.Tuple, ast.List)
    if not isinstance(node, plain) or not isinstance(target, plain):
        return False
    if isinstance(node, ast.Name) or isinstance(target, ast.Name):
        return isinstance(node, ast.Name) and isinstance(target, ast.Name) and node.id == target.id
    return len(node.elts) == len(target.elts) and all(
        isinstance(a, ast.Name) and isinstance(b, ast.Name) and a.id == b.id
        for a, b in zip(node.elts, target.elts, strict=True)
    )
