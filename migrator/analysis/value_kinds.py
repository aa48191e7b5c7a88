"""What the names and attributes of a module hold: sessions, operations, savers, tensors."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_graph_code import names_session
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import blocks_of, children, last_name, self_attribute, walk

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.Module | ast.ClassDef | Function | ast.Lambda

_DEPTH = 6  # names that stand for names
_EFFECTS = frozenset({"assign", "assign_add", "assign_sub", "scatter_update", "scatter_add",
                      "scatter_sub", "load"})
_SESSIONS = frozenset({"managed_session", "prepare_or_wait_for_session", "as_default"})


class Parents:
    """The node that holds each node of a tree."""

    def __init__(self, tree: ast.Module) -> None:
        self._of = {id(child): node for node in walk(tree) for child in children(node)}

    def of(self, node: ast.AST) -> ast.AST | None:
        return self._of.get(id(node))

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around one, innermost first."""
        current = self.of(node)
        while current is not None:
            yield current
            current = self.of(current)

    def scope(self, node: ast.AST) -> Scope:
        """The innermost function, class, lambda or module around a node."""
        return next(n for n in self.around(node) if isinstance(n, Scope))

    def function(self, node: ast.AST) -> Function | ast.Module:
        """The innermost function around a node, else the module."""
        return next(n for n in self.around(node) if isinstance(n, (Function, ast.Module)))

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class around a node."""
        return next((n for n in self.around(node) if isinstance(n, ast.ClassDef)), None)

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which one stands."""
        holder = self.of(statement)
        assert holder is not None
        return next(block for block in blocks_of(holder) if statement in block)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that a node belongs to: itself, if it is one."""
        if isinstance(node, ast.stmt):
            return node
        return next(n for n in self.around(node) if isinstance(n, ast.stmt))


class Values:
    """Kinds (`analysis.graph_kinds`) of the expressions of a file; "" where its text does not tell."""

    def __init__(self, tree: ast.Module, names: NameTable, parents: Parents,
                 loaded: Collection[tuple[str, str]] = ()) -> None:
        """`loaded` are (function, parameter) of those that are given loaded graphs."""
        self.names, self.parents, self._loaded = names, parents, loaded
        self._locals: dict[tuple[int, str], list[ast.expr]] = defaultdict(list)
        self._attributes: dict[tuple[int, str], list[ast.expr]] = defaultdict(list)
        self._declared: set[tuple[int, str]] = set()
        self._bound: set[tuple[int, str]] = set()
        self._kinds: dict[tuple[int, int], tuple[ast.expr, str]] = {}
        for node in walk(tree):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                self._declared |= {(id(parents.function(node)), name) for name in node.names}
        for node in walk(tree):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                function = parents.function(node)
                if (id(function), node.id) not in self._declared:
                    self._bound.add((id(function), node.id))
        for node in walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._bind(node.target, node.value)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                self._bind(node.optional_vars, node.context_expr)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            home = self.home(target)
            self._locals[id(home), target.id].append(value)
        elif (name := self_attribute(target)) is not None:
            owner = self.parents.owner(target)
            if owner is not None:
                self._attributes[id(owner), name].append(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and (
                len(target.elts) == len(value.elts)):
            for inner, part in zip(target.elts, value.elts, strict=True):
                self._bind(inner, part)

    def home(self, node: ast.Name) -> Function | ast.Module:
        """The function whose local a name is (the module for a global), where it is bound or read."""
        module: ast.Module | None = None
        for scope in self.parents.around(node):
            if isinstance(scope, ast.Module):
                module = scope
            elif isinstance(scope, Function):
                if (id(scope), node.id) in self._declared:
                    continue
                if (id(scope), node.id) in self._bound or node.id in parameters(scope):
                    return scope
        assert module is not None
        return module

    def assigned(self, node: ast.expr) -> list[ast.expr] | None:
        """What a name or attribute of self is assigned; None where it is a parameter or unknown."""
        if isinstance(node, ast.Name):
            for scope in self.parents.around(node):
                if not isinstance(scope, (Function, ast.Module)):
                    continue
                found = self._locals.get((id(scope), node.id))
                if found:
                    return found
                if isinstance(scope, Function) and node.id in parameters(scope):
                    return None
            return None
        name = self_attribute(node)
        owner = self.parents.owner(node) if name else None
        return self._attributes.get((id(owner), name)) if owner is not None and name else None

    def imported(self, node: ast.expr) -> bool:
        """Whether an expression is a module or something that a module of others has."""
        name = self.names.resolve_node(node, values=False) or ""
        return bool(name) and not name.startswith(("builtins.", "tensorflow")) and "(" not in name

    def kind(self, node: ast.expr, depth: int = 0) -> str:
        """The kind of an expression's value."""
        if depth > _DEPTH or not isinstance(node, (ast.Call, ast.Name, ast.Attribute)):
            return ""
        known = self._kinds.get((id(node), depth))
        if known is None:  # the node is kept, so that its id stays its own
            known = self._kinds[id(node), depth] = node, self._kind(node, depth)
        return known[1]

    def _kind(self, node: ast.Call | ast.Name | ast.Attribute, depth: int) -> str:
        if isinstance(node, ast.Call):
            return self._called(node, depth)
        found = self.assigned(node)
        if found:
            kinds = {self.kind(value, depth + 1) for value in found
                     if not (isinstance(value, ast.Constant) and value.value is None)}
            if len(kinds) == 1 and kinds != {""}:
                return kinds.pop()
            return k.SESSION if k.SESSION in kinds or names_session(last_name(node)) else ""
        if isinstance(node, ast.Name) and self._loaded and (
                getattr(self.home(node), "name", ""), node.id) in self._loaded:
            return k.LOADED
        return k.SESSION if names_session(last_name(node)) else ""

    def _called(self, node: ast.Call, depth: int) -> str:
        symbol = self.names.resolve_node(node.func, values=False) or ""
        if symbol.startswith("tensorflow.") and "(" not in symbol:
            return k.call_kind(symbol)
        if symbol.endswith(k.LOADS):
            return k.LOADED
        if isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if method in k.TRAINING_METHODS:
                return k.TRAIN
            if method in _EFFECTS:
                return k.EFFECT
            if method in _SESSIONS:
                base = self.kind(node.func.value, depth + 1)
                if base in (k.SESSION, k.SUPERVISOR):
                    return k.SESSION
                if base == k.GRAPH:
                    return k.GRAPH
        return k.SESSION if names_session(last_name(node.func) + "()") else ""


def parameters(function: Function | ast.Lambda) -> list[str]:
    """The names of a function's parameters."""
    a = function.args
    every = [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs,
             *([a.kwarg] if a.kwarg else [])]
    return [arg.arg for arg in every]
