"""Prepares a test for its eager form: runs leave the heads of blocks, collections leave the graph,
names that are bound anew get a name for each value.

``for name in sess.run(names):`` becomes a statement that runs and a loop over its result, as a head
is evaluated once; ``graph.get_collection(key)`` becomes the ambient collection, where `graph` is a
graph of the function itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from migrator.analysis.fresh_names import fresh_name
from migrator.engine.context import FileContext
from migrator.engine.cst_walk import exchanged, only
from migrator.transforms import _flow as flow
from migrator.transforms.eager.body import BOUND_TWICE, RUN_IN_HEAD, SessionBody
from migrator.transforms.eager.units import Unsupported

_RUNS = frozenset({"run", "eval"})
_COLLECTIONS = frozenset(
    {"add_to_collection", "add_to_collections", "clear_collection", "get_collection",
     "get_collection_ref"}
)  # fmt: skip


def _runs(node: cst.BaseExpression) -> bool:
    return any(
        isinstance(part, cst.Call)
        and isinstance(part.func, cst.Attribute)
        and part.func.attr.value in _RUNS
        for part in flow.walk(node)
    )


class _Heads(cst.CSTTransformer):
    """Gives what is run in the head of a for or an if a statement of its own before the block."""

    def __init__(self, taken: set[str]) -> None:
        super().__init__()
        self.taken = taken
        self.depth = 0
        self.elifs: set[int] = set()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self.depth += 1
        return self.depth == 1

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self.depth -= 1
        return updated_node

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return False

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.For | cst.FlattenSentinel[cst.BaseStatement]:
        if not _runs(original_node.iter):
            return updated_node
        name = cst.Name(self._fresh("values"))
        return self._split(updated_node, name, updated_node.iter, iter=name)

    def leave_If(
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.If | cst.FlattenSentinel[cst.BaseStatement]:
        if not _runs(original_node.test) or id(original_node) in self.elifs:
            return updated_node
        name = cst.Name(self._fresh("condition"))
        return self._split(updated_node, name, updated_node.test, test=name)

    def visit_If(self, node: cst.If) -> None:
        if isinstance(node.orelse, cst.If):  # no place for a statement before it
            self.elifs.add(id(node.orelse))

    def _split(
        self, node: cst.For | cst.If, name: cst.Name, value: cst.BaseExpression, **head: cst.Name
    ) -> cst.FlattenSentinel[cst.BaseStatement]:
        made = flow.assign(name, value).with_changes(leading_lines=node.leading_lines)
        return cst.FlattenSentinel([made, node.with_changes(leading_lines=(), **head)])

    def _fresh(self, wanted: str) -> str:
        name = fresh_name(wanted, self.taken)
        self.taken.add(name)
        return name


def body_of(ctx: FileContext, function: cst.FunctionDef) -> SessionBody:
    """The model of `function`, or of what it is when it is written in a way that can be followed.

    Raises Unsupported.
    """
    for _ in range(20):
        try:
            return SessionBody(ctx, function)
        except Unsupported as problem:
            made: cst.FunctionDef | None = None
            if problem.obstacle == RUN_IN_HEAD:
                made = without_runs_in_heads(function)
            elif problem.obstacle == BOUND_TWICE and isinstance(problem.node, cst.Call):
                key = _name_of(function, problem.node)
                made = with_split_names(function, key) if key else None
            if made is None:
                raise
            function = made
    return SessionBody(ctx, function)


def _name_of(function: cst.FunctionDef, value: cst.Call) -> str | None:
    """The local name that `value` is assigned to."""
    for statement in only(flow.walk(function), cst.SimpleStatementLine):
        pair = flow.assigned(statement)
        if pair is not None and pair[1] is value and isinstance(pair[0], cst.Name):
            return pair[0].value
    return None


def without_runs_in_heads(function: cst.FunctionDef) -> cst.FunctionDef:
    """`function` with the runs in the heads of its blocks in statements before them."""
    taken = {node.value for node in flow.walk(function) if isinstance(node, cst.Name)}
    made = function.visit(_Heads(taken))
    assert isinstance(made, cst.FunctionDef)
    return made


_NESTED = (cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.CompFor)


def with_split_names(function: cst.FunctionDef, key: str) -> cst.FunctionDef | None:
    """`function` with a name of its own for each value of the name `key`.

    None where one value may stand for another: in branches, loops and nested functions.
    """
    straight = list(_straight(flow.statements(function.body)))
    table: dict[int, cst.CSTNode | None] = {}
    taken = {node.value for node in only(flow.walk(function), cst.Name)}
    keywords = {id(node.keyword) for node in only(flow.walk(function), cst.Arg)}
    members = {id(node.attr) for node in only(flow.walk(function), cst.Attribute)}
    current, values = key, 0
    for statement in straight:
        pair = flow.assigned(statement)
        binds = pair is not None and flow.key_of(pair[0]) == key
        if not binds and key in flow.writes(statement):
            return None
        inner = {
            id(part) for node in flow.walk(statement) if isinstance(node, _NESTED)
            for part in flow.walk(node)
        }
        for node in only(flow.walk(statement), cst.Name):
            if node.value != key or id(node) in keywords or id(node) in members:
                continue
            if id(node) in inner:
                return None
            if binds and pair is not None and node is pair[0]:
                continue
            table[id(node)] = node.with_changes(value=current)
        if binds and pair is not None:
            values += 1
            number = values
            while values > 1 and (current := f"{key}_{number}") in taken:
                number += 1
            taken.add(current)
            table[id(pair[0])] = pair[0].with_changes(value=current)
    if values < 2:
        return None
    made = exchanged(function, table)
    assert isinstance(made, cst.FunctionDef)
    return made


def _straight(statements: Sequence[cst.BaseStatement]) -> Iterator[cst.BaseStatement]:
    """Statements that run once, in order; what with statements open comes before their body."""
    for statement in statements:
        if isinstance(statement, cst.With):
            for item in statement.items:
                given = item.asname.name if item.asname is not None else None
                yield (
                    cst.SimpleStatementLine([cst.Expr(item.item)]) if given is None
                    else flow.assign(given, item.item)  # type: ignore[arg-type]
                )
            yield from _straight(flow.statements(statement.body))
        else:
            yield statement


def ambient_collections(
    function: cst.FunctionDef, graphs: set[str], support: Callable[[str], cst.BaseExpression]
) -> cst.FunctionDef:
    """A rewritten `function` whose own `graphs` are asked for no collections any more.

    A graph that nothing reads then is not made either.
    """
    table: dict[int, cst.CSTNode | None] = {}
    for node in only(flow.walk(function), cst.Call):
        if (
            isinstance(node.func, cst.Attribute)
            and node.func.attr.value in _COLLECTIONS
            and flow.key_of(node.func.value) in graphs
        ):
            table[id(node.func)] = support(f"scopes.{node.func.attr.value}")
    if not table:
        return function
    made = exchanged(function, table)
    assert isinstance(made, cst.FunctionDef)
    for graph in sorted(graphs):
        made = _without_unused(made, graph)
    return made


def other_uses(function: cst.FunctionDef, graphs: set[str]) -> cst.Attribute | None:
    """What is asked of the function's own `graphs` that only a graph can answer, or elsewhere than
    where the graph is the default one."""
    if not graphs:
        return None
    inside: set[int] = set()
    for node in flow.walk(function):
        if isinstance(node, cst.With) and any(_opens(item.item, graphs) for item in node.items):
            inside |= {id(part) for part in flow.walk(node.body)}
        if isinstance(node, cst.Attribute) and flow.key_of(node.value) in graphs:
            member = node.attr.value
            if member not in _COLLECTIONS | {"as_default", "finalize"}:
                return node
            if member in _COLLECTIONS and id(node) not in inside:
                return node
    return None


def _opens(node: cst.BaseExpression, graphs: set[str]) -> bool:
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value == "as_default"
        and (flow.key_of(node.func.value) in graphs or isinstance(node.func.value, cst.Call))
    )


def _without_unused(function: cst.FunctionDef, name: str) -> cst.FunctionDef:
    """`function` without ``name = tf.Graph()`` where that is all that is said of `name`."""
    found = [n for n in flow.walk(function) if isinstance(n, cst.Name) and n.value == name]
    if len(found) != 1:
        return function
    made = function.visit(_Dropper(name))
    assert isinstance(made, cst.FunctionDef)
    return made


class _Dropper(cst.CSTTransformer):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        pair = flow.assigned(updated_node)
        if pair is not None and flow.key_of(pair[0]) == self.name:
            return cst.RemoveFromParent()
        return updated_node
