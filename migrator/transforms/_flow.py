"""What the statements of one function read, write and feed on: a small data flow over LibCST.

Names are the roots of what is written: a local name (``boxes``) or an attribute of a local one
(``self._boxes``).  Writes include changes in place (``feed[x] = 1``, ``items.append(x)``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from migrator.engine.cst_print import code_for
from migrator.engine.cst_walk import code_children, walk

_MUTATORS = frozenset(
    "append add extend insert update setdefault pop popitem remove discard clear sort fill "
    "ParseFromString MergeFrom CopyFrom".split()
)


def root_of(node: cst.BaseExpression) -> str | None:
    """``"x"`` for ``x[0].y``, ``"self.x"`` for ``self.x.y``; None where no name is at the root."""
    chain: list[str] = []
    while True:
        if isinstance(node, cst.Attribute):
            chain.append(node.attr.value)
            node = node.value
        elif isinstance(node, cst.Subscript):
            chain.clear()
            node = node.value
        elif isinstance(node, (cst.StarredElement, cst.StarredDictElement)):
            node = node.value
        else:
            break
    if not isinstance(node, cst.Name):
        return None
    if node.value in ("self", "cls") and chain:
        return f"{node.value}.{chain[-1]}"
    return node.value


def key_of(node: cst.BaseExpression) -> str | None:
    """``root_of`` for a bare name or an attribute of `self`, None for anything longer."""
    if isinstance(node, cst.Name):
        return node.value
    if (
        isinstance(node, cst.Attribute)
        and isinstance(node.value, cst.Name)
        and node.value.value in ("self", "cls")
    ):
        return f"{node.value.value}.{node.attr.value}"
    return None


def reads(node: cst.CSTNode) -> set[str]:
    """Every name that `node` reads, its nested functions' free names included."""
    found: set[str] = set()
    _reads(node, found)
    return found


def _reads(node: Any, found: set[str]) -> None:
    cls = node.__class__
    if cls is cst.Name:
        found.add(node.value)
    elif cls is cst.Attribute:
        value = node.value
        if value.__class__ is cst.Name:
            found.add(value.value)
            if value.value in ("self", "cls"):
                found.add(f"{value.value}.{node.attr.value}")
        else:
            _reads(value, found)
    elif cls is cst.Arg:
        _reads(node.value, found)
    elif cls is cst.Assign:
        for target in node.targets:
            if target.target.__class__ not in (cst.Name, cst.Tuple, cst.List):
                _reads(target.target, found)
        _reads(node.value, found)
    elif cls is cst.Param:
        if node.default is not None:
            _reads(node.default, found)
    elif cls is cst.AnnAssign:
        if node.value is not None:
            _reads(node.value, found)
    else:
        for child in code_children(node):
            _reads(child, found)


_BINDERS = frozenset(
    [
        *(cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.AsName),
        *(cst.FunctionDef, cst.ClassDef, cst.Call),
    ]
)


def parameters(function: cst.FunctionDef) -> set[str]:
    """The names of a function's parameters."""
    return {node.name.value for node in walk(function.params) if isinstance(node, cst.Param)}


def writes(node: cst.CSTNode) -> set[str]:
    """Every name that `node` binds or changes in place."""
    found: set[str] = set()
    for child in walk(node):
        if child.__class__ not in _BINDERS:
            continue
        if isinstance(child, (cst.FunctionDef, cst.ClassDef)):
            found.add(child.name.value)
        elif isinstance(child, cst.AsName):
            _targets(child.name, found)  # type: ignore[arg-type]
        elif isinstance(child, cst.Call):
            if child.func.__class__ is cst.Attribute and child.func.attr.value in _MUTATORS:
                name = root_of(child.func.value)
                if name:
                    found.add(name)
        else:
            _targets(child.target, found)  # type: ignore[attr-defined]
    return found


def _targets(node: cst.BaseExpression, found: set[str]) -> None:
    if isinstance(node, (cst.Tuple, cst.List)):
        for element in node.elements:
            _targets(element.value, found)
        return
    name = root_of(node)
    if name:
        found.add(name)


def bound_names(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The single targets of an assignment target, tuples taken apart."""
    if isinstance(node, (cst.Tuple, cst.List)):
        return [name for element in node.elements for name in bound_names(element.value)]
    return [node]


def sub_bodies(node: cst.CSTNode) -> list[cst.BaseSuite]:
    """The suites of a compound statement, in source order."""
    found: list[cst.BaseSuite] = []
    if isinstance(node, cst.If):
        found.append(node.body)
        if node.orelse is not None:
            found.extend(sub_bodies(node.orelse))
    elif isinstance(node, cst.Try):
        found.append(node.body)
        found.extend(handler.body for handler in node.handlers)
        found.extend(part.body for part in (node.orelse, node.finalbody) if part is not None)
    elif isinstance(node, (cst.For, cst.While)):
        found.append(node.body)
        if node.orelse is not None:
            found.append(node.orelse.body)
    elif isinstance(node, (cst.With, cst.Else, cst.Finally)):
        found.append(node.body)
    return found


def simple(node: cst.CSTNode) -> cst.BaseSmallStatement | None:
    """The one small statement of a simple statement line."""
    if isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1:
        return node.body[0]
    return None


def assigned(node: cst.CSTNode) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """(target, value) of ``target = value`` with a single target."""
    small = simple(node)
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        return small.targets[0].target, small.value
    return None


def statements(suite: cst.BaseSuite) -> Sequence[cst.BaseStatement]:
    """The statements of a suite; a one-line suite is made a list of lines."""
    if isinstance(suite, cst.IndentedBlock):
        return suite.body
    assert isinstance(suite, cst.SimpleStatementSuite)
    return [cst.SimpleStatementLine([small]) for small in suite.body]


_NO_MODULE = cst.Module([])


def code_of(node: cst.CSTNode) -> str:
    """The source text of a node, comments and layout included."""
    if node.__class__ is cst.Name and not node.lpar:  # type: ignore[attr-defined]
        return node.value  # type: ignore[attr-defined, no-any-return]
    return code_for(_NO_MODULE, node)


def equal(one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether two expressions are written alike (layout aside)."""
    if one is other:
        return True
    if one.__class__ is not other.__class__:
        return False
    return "".join(code_of(one).split()) == "".join(code_of(other).split())


def argument(call: cst.Call, name: str, position: int | None = None) -> cst.BaseExpression | None:
    """The value of the argument `name`, which may also stand at `position`."""
    for index, arg in enumerate(call.args):
        if arg.star:
            continue
        if arg.keyword is not None:
            if arg.keyword.value == name:
                return arg.value
        elif position is not None and index == position:
            return arg.value
    return None


def call(function: str | cst.BaseExpression, *args: cst.BaseExpression | cst.Arg) -> cst.Call:
    """``function(args...)`` as a new node."""
    func = cst.parse_expression(function) if isinstance(function, str) else function
    parts = [arg if isinstance(arg, cst.Arg) else cst.Arg(arg) for arg in args]
    parts = [
        part.with_changes(
            comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            if index < len(parts) - 1
            else cst.MaybeSentinel.DEFAULT
        )
        for index, part in enumerate(parts)
    ]
    return cst.Call(func, parts)


def keyword(name: str, value: cst.BaseExpression | str) -> cst.Arg:
    """``name=value`` as an argument node."""
    expression = cst.parse_expression(value) if isinstance(value, str) else value
    return cst.Arg(
        expression,
        keyword=cst.Name(name),
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )


def function(
    decorator: str, name: str, parameters: Sequence[str], body: Sequence[cst.BaseStatement]
) -> cst.FunctionDef:
    """A new decorated function; one without statements passes."""
    made = cst.parse_statement(f"{decorator}\ndef {name}({', '.join(parameters)}):\n    pass\n")
    assert isinstance(made, cst.FunctionDef)
    return made.with_changes(body=cst.IndentedBlock(body)) if body else made


def line(text: str) -> cst.SimpleStatementLine:
    """A new statement line from its text."""
    statement = cst.parse_statement(text)
    assert isinstance(statement, cst.SimpleStatementLine)
    return statement


def assign(target: cst.BaseExpression, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    """``target = value`` as a new statement line."""
    return cst.SimpleStatementLine(
        [cst.Assign([cst.AssignTarget(target)], value)]  # type: ignore[arg-type]
    )


def with_leading(
    node: cst.BaseStatement, lines: Iterable[cst.EmptyLine]
) -> cst.BaseStatement:
    """`node` with comment and blank lines put before it."""
    lines = list(lines)
    if not lines or not hasattr(node, "leading_lines"):
        return node
    return node.with_changes(leading_lines=[*lines, *node.leading_lines])
