"""Whether XLA can compile a step that is about to be written: what of its reach it refuses, and why."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from migrator.analysis.names import NameTable
from migrator.analysis.support_names import tf1_symbol
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.resources import rules_dir

CODE = "TF412"
ADVICE = "Keep it outside of the compiled function: compute it before the step, or behind it."
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
#: What an object runs where a step makes or calls it.
_CALLED = ("__init__", "__call__", "call", "build")
_WRITES = "summary"  # only where the step has a writer, so only what its own statements say


@dataclass(frozen=True, slots=True)
class Operation:
    """What XLA refuses, and why."""

    group: str
    reason: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """An operation in the reach of a step that XLA refuses, and where it is."""

    symbol: str
    place: str  # "line 12", "models/net.py:12"
    reason: str

    @property
    def message(self) -> str:
        return (f"XLA cannot compile {self.symbol} ({self.place}): {self.reason}. "
                "The step is not compiled")


@cache
def table() -> dict[str, Operation]:
    """The operations of rules/advice/xla.toml by symbol (``tensorflow.py_func``, ``.get_next``); one
    that ends with a dot stands for all below it."""
    read = tomllib.loads((rules_dir() / "advice" / "xla.toml").read_text(encoding="utf-8"))
    return {
        "tensorflow." + name.removeprefix("tf.") if name.startswith("tf.") else name:
            Operation(entry["group"], read["reason"][entry["group"]])
        for entry in read["op"] for name in entry["names"]
    }


@dataclass(frozen=True)
class _Module:
    """A module of the project, with the functions that it defines by their own names."""

    path: str
    tree: ast.Module
    names: NameTable
    functions: dict[str, list[ast.AST]]
    classes: dict[str, ast.ClassDef]


class Reach:
    """Looks from the steps of a file through the functions of the project that they call."""

    def __init__(self, ctx: FileContext) -> None:
        self._ctx = ctx
        self._modules: dict[str, _Module | None] = {}
        self._own = self._module(ctx.path)

    def refused(self, nodes: Iterable[ast.AST], writes: bool = False) -> Refusal | None:
        """The first operation in the reach of nodes of the file that XLA refuses; `writes`: whether
        summaries are written in the step."""
        assert self._own is not None
        seen = set[int]()
        pending: list[tuple[_Module, ast.AST, bool]] = [(self._own, node, writes) for node in nodes]
        while pending:
            module, node, summaries = pending.pop(0)
            if id(node) in seen:
                continue
            seen.add(id(node))
            called = {id(n.func) for n in walk(node) if isinstance(n, ast.Call)}
            for inner in walk(node):
                if not isinstance(inner, (ast.Name, ast.Attribute)) or not isinstance(
                        inner.ctx, ast.Load):
                    continue
                symbol = tf1_symbol(module.names.resolve_node(inner, values=False) or "")
                found = _operation(symbol, inner, id(inner) in called)
                if found is not None and (summaries or found[1].group != _WRITES):
                    return Refusal(found[0], self._place(module, inner), found[1].reason)
                if not symbol.startswith("tensorflow."):
                    pending += [(home, other, writes)
                                for home, other in self._functions(module, inner, symbol)]
        return None

    def behind(self, parts: Iterable[ast.expr], fed: Collection[str]) -> list[ast.AST]:
        """The statements of the file that make what expressions name, as far as names tell; what is
        `fed` is made by none."""
        assert self._own is not None
        made = _made(self._own.tree)
        pending, seen = list[ast.AST](parts), set[int]()
        found: list[ast.AST] = []
        names = set(fed)
        while pending:
            node = pending.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            found.append(node)
            for inner in walk(node):
                if isinstance(inner, (ast.Name, ast.Attribute)) and ast.unparse(inner) not in names:
                    names.add(ast.unparse(inner))
                    pending += made.get(_bound_name(inner), ())
        return found

    def _functions(self, module: _Module, node: ast.Name | ast.Attribute, symbol: str
                   ) -> Iterator[tuple[_Module, ast.AST]]:
        """The functions that a name or attribute stands for, with their modules."""
        name = node.id if isinstance(node, ast.Name) else node.attr
        home, rest = module, name
        if "." in symbol:
            hit = self._ctx.index.definition(symbol.partition("(")[0], module.path)
            other = self._module(hit[0].path) if hit is not None else None
            if hit is not None and other is not None:
                home, rest = other, hit[1].partition(".")[0]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (
                node.value.id not in ("self", "cls")):
            return  # a method of who knows what
        owner = home.classes.get(rest)
        if owner is not None:
            yield from ((home, inner) for inner in owner.body
                        if isinstance(inner, _FUNCTION) and inner.name in _CALLED)
        yield from ((home, function) for function in home.functions.get(rest, ()))

    def _module(self, path: str) -> _Module | None:
        if path not in self._modules:
            own = path == self._ctx.path
            text = self._ctx.text if own else self._ctx.index.text(path)
            try:
                ctx = self._ctx if own else self._ctx.anew(text or "", path)
                tree, names = ctx.tree, ctx.names
            except SyntaxError:
                self._modules[path] = None
                return None
            functions: dict[str, list[ast.AST]] = {}
            for node in walk(tree):
                if isinstance(node, _FUNCTION):
                    functions.setdefault(node.name, []).append(node)
            self._modules[path] = _Module(path, tree, names, functions, {
                n.name: n for n in walk(tree) if isinstance(n, ast.ClassDef)})
        return self._modules[path]

    def _place(self, module: _Module, node: ast.expr) -> str:
        return f"line {self._ctx.line(node)}" if module is self._own else f"{module.path}:{node.lineno}"


def _operation(symbol: str, node: ast.Name | ast.Attribute, called: bool
               ) -> tuple[str, Operation] | None:
    """(its name, the operation) of a name or attribute, `called` or not, that XLA refuses."""
    known = table()
    found = known.get(symbol)
    if found is None and symbol.startswith("tensorflow."):
        head = next((name for name in known if name.endswith(".") and symbol.startswith(name)), None)
        found = known[head] if head else None
    elif found is None and isinstance(node, ast.Attribute) and called:
        found, symbol = known.get(f".{node.attr}"), f".{node.attr}()"
    return None if found is None else (symbol.replace("tensorflow.", "tf.", 1), found)


def _made(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """What binds each name, or attribute, of a file, by its own name."""
    found: dict[str, list[ast.AST]] = {}
    for node in walk(tree):
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        for target in targets:
            for inner in walk(target):
                if isinstance(inner, (ast.Name, ast.Attribute)) and not isinstance(
                        inner.ctx, ast.Load):
                    found.setdefault(_bound_name(inner), []).append(value)
    return found


def _bound_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else f".{node.attr}"
