"""Small questions about statements and names that the planning of session programs asks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis import graph_kinds as k
from migrator.analysis.graph_values import Expressions
from migrator.analysis.program import Program
from migrator.analysis.program_items import KEEP, RUN, Item
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import blocks_of, calls_in, walk
from migrator.analysis.values import collection_key

#: Methods of dicts and strings that give parts or copies.
LOOKS_ONLY = frozenset({"get", "items", "keys", "values", "format"})


def calls_of(item: Item) -> list[ast.Call]:
    """The calls that a statement makes itself: what is in the blocks of one that stays is items of
    their own."""
    stmt = item.stmt
    if isinstance(stmt, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return []
    if item.role in (RUN, KEEP):
        if isinstance(stmt, (ast.If, ast.While)):
            return calls_in(stmt.test)
        if isinstance(stmt, ast.For):
            return calls_in(stmt.iter)
    return calls_in(stmt)


def names_variables(call: ast.Call, expressions: Expressions) -> bool:
    """Whether a call asks for variables by name or as a collection: it lists them, or makes a saver."""
    symbol = expressions.tf_symbol(call.func) or ""
    return k.kind_of(symbol) in (k.VARIABLES, k.SAVER) or (
        symbol in ("tensorflow.get_collection", "tensorflow.get_collection_ref")
        and k.COLLECTION_KEYS.get(collection_key(call) or "") == k.VARIABLES)


def straight(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a block and of the `with`s in it: what runs once."""
    for stmt in statements:
        yield stmt
        if isinstance(stmt, ast.With):
            yield from straight(stmt.body)


def withs_of(statements: list[ast.stmt]) -> Iterator[ast.With]:
    for stmt in statements:
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(stmt, ast.With):
            yield stmt
        for block in blocks_of(stmt):
            yield from withs_of(block)


def chain(program: Program) -> Iterator[Program]:
    current: Program | None = program
    while current is not None:
        yield current
        current = current.parent


def contains(block: list[ast.stmt], stmt: ast.stmt) -> bool:
    return any(stmt is node for inner in block for node in walk(inner))


def parameter_name(name: str) -> str:
    return name.rpartition(".")[2].lstrip("_")


def wrapped(text: str, width: int, unit: str) -> list[str]:
    """A statement's text on several lines if it is longer than `width`."""
    if len(text) <= width or "\n" in text:
        return text.split("\n")
    try:
        statement = ast.parse(text).body[0]
    except SyntaxError:
        return [text]
    calls = [
        node for node in walk(statement)
        if isinstance(node, ast.Call) and (node.args or node.keywords)
        and isinstance(node.func, ast.Name)
    ]
    if not calls:
        return [text]
    call = max(calls, key=lambda node: (node.end_col_offset or 0) - node.col_offset)
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    parts.sort(key=lambda node: node.col_offset)
    start = parts[0].col_offset
    end = parts[-1].end_col_offset or 0
    if isinstance(parts[-1], ast.Starred):
        end = parts[-1].end_col_offset or end
    inner = unit if len(unit) == 4 else unit * 2
    pieces = [text[start:end]]
    if len(pieces[0]) + len(inner) > width:
        pieces = [
            text[p.col_offset : p.end_col_offset] + ("," if p is not parts[-1] else "")
            for p in parts
        ]
    return [text[:start].rstrip(), *(inner + piece for piece in pieces[:-1]),
            inner + pieces[-1] + text[end:].lstrip()]


def whole_argument(call: ast.Call, value: ast.expr) -> ast.expr | ast.keyword:
    """An argument of a call, with its keyword if it has one."""
    return next((a for a in call.keywords if a.value is value), value)


def cut(source: SourceText, start: int, end: int) -> Edit:
    """An element of a list in brackets, with the comma behind or else before it."""
    text = source.text
    after = end
    while text[after] in " \t":
        after += 1
    if text[after] == ",":
        after += 1
        while text[after] in " \t\n":
            after += 1
        return start, after, ""
    before = start
    while text[before - 1] in " \t\n":
        before -= 1
    if text[before - 1] == ",":
        return before - 1, end, ""
    return start, end, ""


def split_arguments(text: str) -> list[str]:
    """The top-level, comma-separated parts of an expression or argument list."""
    call = ast.parse(f"f({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    nodes: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    nodes.sort(key=lambda node: node.col_offset)
    return [text[n.col_offset - 2 : (n.end_col_offset or 0) - 2] for n in nodes]


def names_session(text: str) -> bool:
    """Whether a name, or an expression that ends in one, says that it is a session."""
    return text.lower().endswith(("sess", "session"))


def looks_like_run(call: ast.Call) -> bool:
    """Whether a call runs a session, as far as its name tells: ``self.sess.run(...)``."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr != "run":
        return False
    return names_session(ast.unparse(func.value).removesuffix("()"))
