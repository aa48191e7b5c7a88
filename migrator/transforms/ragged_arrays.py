"""`np.array(list(zip(texts, labels)))`, `np.array([state, reward])`: rows of parts of other sizes, which
NumPy refuses since 1.24."""

from __future__ import annotations

import ast

from migrator.analysis.facts_zipped import given_pairs, is_paired, paired_names
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung

CODE = "PY233"
_ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
#: What makes an array of what it is given, and leaves one of objects as it is.
_CONVERTING = frozenset({"numpy.nan_to_num"})
#: What is given to be kept in a file: an array is made of it.
_KEEPING = frozenset({"numpy.save"})
_REDUCING = frozenset({"min", "max", "mean", "std", "var", "sum", "median", "amin", "amax"})


@transform
class RaggedArrays:
    """PY233: pairs of arrays, steps of an environment, arrays beside their own minima or beside numbers, and
    lists of several things that go into one file become arrays of objects where sizes differ.

    What holds pairs is read from `zip`: in the same expression, by a name of the file, or by a call, in
    any module of the project, that hands them to the function.
    """

    name = "ragged_arrays"
    triggers = _ARRAYS | _CONVERTING | _KEEPING
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        names = paired_names(ctx.tree)
        inside: dict[int, frozenset[str]] = {}
        for function, parameter in given_pairs(ctx.index, ctx.path, ctx.tree, ctx.names):
            for node in walk(function):
                inside[id(node)] = inside.get(id(node), names) | {parameter}
        steps = _Steps(ctx.tree) if ".step(" in ctx.text else None
        lines, edits = Lines(ctx.text), list[Edit]()
        beside, deep = _Reduced(ctx.tree), _deepened(ctx.tree)
        for call in walk(ctx.tree):
            if not isinstance(call, ast.Call) or not call.args:
                continue
            symbol = ctx.names.resolve_node(call.func, values=False)
            rows = call.args[-1]
            given = 2 if symbol in _KEEPING else 1
            if symbol not in self.triggers or ctx.suppressed(CODE, call) or len(call.args) != given or (
                    call.keywords and symbol not in _KEEPING):
                continue
            if symbol in _CONVERTING and beside.are_in(rows) or symbol in _KEEPING and _is_of_several(rows):
                span = lines.span(rows)
                edits.append(Edit(*span, (ctx.support("ragged.array"), "(", span, ")")))
            elif symbol in _ARRAYS and (is_paired(rows, inside.get(id(call), names))
                                        or steps and steps.are_in(rows) or beside.are_in(rows)):
                edits.append(Edit(*lines.span(call.func), (ctx.support("ragged.array"),)))
            elif symbol in _ARRAYS and _is_beside_number(rows, deep):
                edits.append(Edit(*lines.span(call.func), (ctx.support("ragged.numbers"),)))
            else:
                continue
            ctx.change(CODE, call, "NumPy makes arrays of parts of several sizes only where it is told to",
                       Rung.SUPPORT, confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None


def _deepened(tree: ast.Module) -> frozenset[str]:
    """Names of arrays that a dimension was added to: their elements are arrays."""
    found = set()
    for node in walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            made = node.value.value if isinstance(node.value, ast.Attribute) else node.value  # x.T
            if isinstance(made, ast.Call) and ast.unparse(made.func).endswith(".expand_dims"):
                found.add(node.targets[0].id)
    return frozenset(found)


def _is_beside_number(rows: ast.expr, deep: frozenset[str]) -> bool:
    """Whether a list has elements of such arrays and numbers: ``[[z[0], 0, z[1], 0]]``."""
    if not isinstance(rows, (ast.List, ast.Tuple)):
        return False
    entries = [e for e in rows.elts if isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name)
               and e.value.id in deep and not isinstance(e.slice, (ast.Slice, ast.Tuple))]
    numbers = any(isinstance(e, ast.Constant) for e in rows.elts)
    return bool(entries) and numbers or any(_is_beside_number(row, deep) for row in rows.elts)


def _is_of_several(rows: ast.expr) -> bool:
    """Whether a list is of several things that have names, which may be of any sizes."""
    return isinstance(rows, (ast.List, ast.Tuple)) and len(
        {ast.unparse(part) for part in rows.elts if isinstance(part, (ast.Name, ast.Attribute))}) > 1


class _Steps:
    """What a file keeps of the steps of an environment: ``state, reward, done, _ = env.step(action)`` gives
    an array and two numbers, and a row that has both is of several sizes."""

    def __init__(self, tree: ast.Module) -> None:
        self._states: set[str] = set()
        self._numbers: set[str] = set()
        self._kept: set[str] = set()  # names and attributes that hold such rows
        assigned = [node for node in walk(tree) if isinstance(node, ast.Assign) and len(node.targets) == 1]
        for node in assigned:
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=[state, *others])],
                                value=ast.Call(func=ast.Attribute(attr="step"))) if len(others) > 1:
                    self._states.add(ast.unparse(state))
                    self._numbers |= {ast.unparse(n) for n in others[:2]}
        for node in assigned:  # state = preprocessed(state)
            if isinstance(node.value, ast.Call) and any(self._is(self._states, a) for a in node.value.args):
                self._states.add(ast.unparse(node.targets[0]))
        for call in walk(tree):
            match call:
                case ast.Call(func=ast.Attribute(value=kept, attr="append"), args=[row]) if self._is_row(row):
                    self._kept.add(ast.unparse(kept))
        for node in assigned:
            if self.are_in(node.value) and not self._is_row(node.value):
                self._kept.add(ast.unparse(node.targets[0]))

    def are_in(self, node: ast.expr) -> bool:
        """Whether an expression is a row of a step, a list of such rows, or what is chosen from one."""
        match node:
            case ast.Call(func=ast.Name(id="list"), args=[rows]):
                return self.are_in(rows)
            case ast.Call(func=ast.Attribute(attr="sample"), args=[rows, _]):
                return self.are_in(rows)
            case ast.Subscript(value=rows, slice=ast.Slice()):
                return self.are_in(rows)
        return self._is(self._kept, node) or self._is_row(node)

    def _is_row(self, node: ast.expr) -> bool:
        return isinstance(node, (ast.List, ast.Tuple)) and all(
            any(self._is(names, part) for part in node.elts) for names in (self._states, self._numbers))

    @staticmethod
    def _is(names: set[str], node: ast.expr) -> bool:
        return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in names


class _Reduced:
    """Which functions of a file give an array together with what a reduction along one of its dimensions
    left of it: ``return rows - low, low`` where ``low = rows.min(axis=0)``."""

    def __init__(self, tree: ast.Module) -> None:
        self._functions: dict[str, bool] = {}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self._functions[node.name] = any(
                    isinstance(part, ast.Return) and part.value is not None and self._is_row(part.value, node)
                    for part in walk(node))

    def are_in(self, node: ast.expr) -> bool:
        """Whether an expression is what such a function gives."""
        return (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                and self._functions.get(node.func.id, False))

    @staticmethod
    def _is_row(given: ast.expr, function: ast.FunctionDef) -> bool:
        if not isinstance(given, ast.Tuple):
            return False
        left: dict[str, set[str]] = {}  # what is reduced -> the names of what is left of it
        for node in walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(
                        value=ast.Name(id=owner), attr=attr)) as call) if attr in _REDUCING:
                    kept = any(word.arg == "keepdims" for word in call.keywords)
                    of = [a.id for a in call.args[:1] if isinstance(a, ast.Name)]
                    axis = len(call.args) > len(of) or any(word.arg == "axis" for word in call.keywords)
                    if axis and not kept:
                        left.setdefault(of[0] if of else owner, set()).add(name)
        names = [{n.id for n in walk(part) if isinstance(n, ast.Name)} for part in given.elts]
        return any(any(rows in part for part in names) and any(part and part <= reduced for part in names)
                   for rows, reduced in left.items())
