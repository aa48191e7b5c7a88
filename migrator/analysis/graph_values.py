"""Kinds of expressions of a TF1 program: forward, name by name, without running anything."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import dotted_self
from migrator.analysis.graph_resources import Resources
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.support_names import tf1_symbol
from migrator.analysis.tree_walk import children
from migrator.analysis.value_forms import Forms
from migrator.analysis.values import (
    PYTHON_VALUE,
    FunctionFact,
    Value,
    collection_key,
    join,
)


def _container(parts: list[Value]) -> str:
    """The kind of a literal list or dict; one of variables lives as long as they do."""
    if parts and all(part.kind == k.VARIABLE and not part.needs_graph for part in parts):
        return k.VARIABLE
    if parts and all(part.kind in k.WITHOUT_VALUE for part in parts):
        return k.EFFECT
    return join(parts)


class Expressions(Resources, Forms):
    """Kinds of the expressions of one scope."""

    #: Whether collections of variables are complete before anything is traced.
    variables_known = False
    #: How many of the open variable scopes add a penalty to each variable.
    regularized = 0

    def __init__(
        self,
        names: NameTable,
        scope: Scope,
        lookup: Callable[[str], Value | None],
        function: Callable[[str], FunctionFact | None],
        owner: str | None = None,
    ) -> None:
        self.names = names
        self.scope = scope
        self.lookup = lookup
        self.function = function
        self.owner = owner
        #: What a method of the object does (by its name), and which attributes it reads.
        self.method: Callable[[str], tuple[FunctionFact, frozenset[str]] | None] = lambda _: None
        self._symbols: dict[int, str | None] = {}

    # -- symbols

    def symbol(self, node: ast.expr) -> str | None:
        """The canonical name of a dotted expression that comes from an import."""
        key = id(node)
        if key not in self._symbols:
            found = self.names.resolve_node(node, self.scope, values=False)
            if found is not None and found.startswith("builtins."):
                root = node
                while isinstance(root, (ast.Attribute, ast.Call)):
                    root = root.value if isinstance(root, ast.Attribute) else root.func
                if isinstance(root, ast.Name) and (
                    self.lookup(root.id) is not None or not hasattr(builtins, root.id)
                ):  # a parameter of the method around it, say
                    found = None
            self._symbols[key] = tf1_symbol(found) if found is not None else None
        return self._symbols[key]

    def tf_symbol(self, node: ast.expr) -> str | None:
        """`symbol` if it is TensorFlow's."""
        found = self.symbol(node)
        return found if found is not None and found.startswith("tensorflow.") else None

    def _of_module(self, func: ast.expr) -> bool:
        """Whether a call is one of a function of an imported module."""
        found = self.symbol(func)
        return found is not None and not found.startswith("builtins.") and "(" not in found

    def call_fact(self, node: ast.Call) -> FunctionFact | None:
        """What is known of the project function that a call calls."""
        if isinstance(node.func, ast.Name):
            fact = self.function(node.func.id)
            if fact is not None:
                return fact
        own = self._own_method(node)
        if own is not None:
            return own[0]
        symbol = self.symbol(node.func)
        return self.function(symbol) if symbol else None

    def _own_method(self, node: ast.Call) -> tuple[FunctionFact, frozenset[str]] | None:
        """What is known of the method of the object that a call calls."""
        dotted = dotted_self(node.func, self.owner) if self.owner else None
        return self.method(dotted.partition(".")[2]) if dotted is not None else None

    # -- kinds

    def value(self, node: ast.expr | None) -> Value:
        """The value of an expression."""
        if node is None or isinstance(node, ast.Constant):
            return PYTHON_VALUE
        if isinstance(node, ast.Name):
            return self.lookup(node.id) or PYTHON_VALUE
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            parts = [self.value(e) for e in node.elts]
            return Value(_container(parts), parts=parts, literal=node)
        if isinstance(node, ast.Dict):
            parts = [self.value(e) for e in node.values]
            keys = [self.value(e) for e in node.keys if e is not None]
            kind = _container(parts) if join(keys) == k.PY else k.TENSOR
            return Value(kind, parts=parts, literal=node)
        if isinstance(node, ast.Subscript):
            base = self.value(node.value)
            if base.parts is not None and isinstance(node.slice, ast.Constant):
                part = _literal_part(base, node.slice.value)
                if part is not None:
                    return part
            if base.kind == k.VARIABLE and base.container:
                return Value(k.VARIABLE, base=base, single=True)
            if base.kind in (k.GRADIENTS, k.VARIABLES, k.ELEMENT):
                return Value(k.TENSOR, base=base)
            if base.call is not None and base.kind in (k.TENSOR, k.OP) and base.base is None:
                fact = self.call_fact(base.call)
                if fact is not None and fact.flags & {"dict", "tuple"}:
                    return Value(base.kind, base=base, single=True)
            return Value(join([base, self.value(node.slice)]), base=base)
        if isinstance(node, ast.Starred):
            return self.value(node.value)
        if isinstance(node, ast.IfExp):
            return self._choice([self.value(node.body), self.value(node.orelse)])
        if isinstance(node, ast.BoolOp):
            return self._choice([self.value(e) for e in node.values])
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self._comprehension(node)
        return self._children(node)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> Value:
        element = self.value(node.elt)
        whole = replace(self._children(node), container=True)
        kind = _container([element])
        if kind == k.EFFECT or (kind == k.VARIABLE and whole.kind not in k.TRACED):
            return Value(kind, parts=[element], literal=node)
        source = node.generators[0]
        if len(node.generators) == 1 and self.value(source.iter).kind == k.VARIABLES and (
            isinstance(source.target, ast.Name) and isinstance(node.elt, ast.Name)
            and source.target.id == node.elt.id
            and not any(self.value(test).traced for test in source.ifs)
        ):
            return Value(k.VARIABLES, literal=node)
        return whole

    def _choice(self, values: list[Value]) -> Value:
        kinds = {v.kind for v in values}
        if kinds == {k.HANDLE}:
            return PYTHON_VALUE  # which one is not known
        return values[0] if len(kinds) == 1 else Value(join(values))

    def _children(self, node: ast.AST) -> Value:
        values = []
        for child in children(node):
            if isinstance(child, ast.expr):
                values.append(self.value(child))
            elif isinstance(child, (ast.comprehension, ast.keyword)):
                values.append(self._children(child))
        if not values:
            return PYTHON_VALUE
        operation = isinstance(node, (ast.BinOp, ast.Compare, ast.UnaryOp))
        several = operation and any(self.is_container(value) for value in values)
        return Value(join(values), single=operation and not several, container=several)

    def _attribute(self, node: ast.Attribute) -> Value:
        own = dotted_self(node, self.owner)
        if own is not None:
            return self.lookup(own) or PYTHON_VALUE
        symbol = self.symbol(node)
        if symbol is not None and not symbol.startswith("builtins."):
            return PYTHON_VALUE
        base = self.value(node.value)
        if base.kind == k.ITERATOR and node.attr == "initializer":
            return Value(k.ITERATOR_INIT, base=base)
        if node.attr == "examples" and base.call is not None and (
            self.tf_symbol(base.call.func) or ""
        ).endswith(".DatasetDataProvider"):
            return Value(k.DATASET, base=base)
        if base.kind == k.SESSION and node.attr == "graph":
            return Value(k.GRAPH)
        if base.kind == k.VARIABLE:
            if node.attr in ("shape", "dtype", "name", "op", "device"):
                return PYTHON_VALUE
            if node.attr == "initializer":
                return Value(k.INIT)
            return Value(k.OP, base=base)
        if base.traced:
            return Value(k.TENSOR, base=base)
        if base.kind == k.OP:
            return Value(k.OP, base=base)
        return Value(k.PY, base=base)

    def _arguments(self, node: ast.Call) -> list[Value]:
        return [self.value(a) for a in node.args] + [self.value(a.value) for a in node.keywords]

    def _call(self, node: ast.Call) -> Value:
        arguments = self._arguments(node)
        traced = any(a.traced for a in arguments)
        symbol = self.tf_symbol(node.func)
        if symbol is not None:
            return self._tf_call(node, symbol, arguments, traced)
        if isinstance(node.func, ast.Attribute):
            method = self._method(node, node.func, arguments, traced)
            if method is not None:
                return method
        fact = self.call_fact(node)
        if fact is not None:
            own = self._own_method(node)
            read = sorted(own[1]) if own is not None else ()
            return self._project_call(node, fact, arguments + [
                self.lookup(f"{self.owner}.{name}") or PYTHON_VALUE for name in read])
        kind = join(arguments)
        name = self.symbol(node.func) or ""
        if kind == k.OP and name in ("builtins.len", "builtins.isinstance", "builtins.type"):
            kind = k.PY
        if kind == k.OP and name in ("builtins.list", "builtins.zip", "builtins.dict"):
            kind = k.PY if all(a.kind != k.OP for a in arguments) else k.OP
        return Value(kind, call=node)

    def _tf_call(
        self, node: ast.Call, symbol: str, arguments: list[Value], traced: bool
    ) -> Value:
        name = symbol.removeprefix("tensorflow.")
        if "()" in symbol:
            chained = self._chained(node, symbol, arguments, traced)
            if chained is not None:
                return chained
            symbol = symbol.replace("()", "")
        if name in ("get_collection", "get_collection_ref"):
            kind = k.COLLECTION_KEYS.get(collection_key(node) or "", k.TENSOR)
            if kind == k.VARIABLES and self.variables_known:
                kind = k.PY
            return Value(kind, call=node)
        if name == "train.global_step":
            return Value(k.PY, call=node)  # a run by itself
        if name.startswith(("losses.", "contrib.losses.", "contrib.slim.losses.")):
            return Value(k.TENSOR, call=node)
        kind = k.call_kind(symbol)
        if name == "group" and arguments and all(a.kind == k.INIT for a in arguments):
            return Value(k.INIT, call=node)
        if kind == k.VARIABLE and symbol != "tensorflow.Variable" and "step" not in name and (
            self.regularized or any(a.arg == "regularizer" for a in node.keywords)
        ):
            return Value(k.TENSOR, call=node, single=True)  # its penalty belongs to each step
        if kind == k.VARIABLES and self.variables_known:
            return Value(k.PY, call=node)
        if kind == k.OP:
            if traced or k.is_layer(symbol) or any(a.kind in (k.VARIABLE, k.SCHEDULE) or (
                a.kind == k.OP and a.base is not None) for a in arguments):
                kind = k.TENSOR
        elif kind == k.PY:
            return Value(k.TENSOR if traced and not k.is_hook(symbol) else k.PY, call=node)
        elif kind in k.HOISTED and traced:
            return Value(kind, call=node, needs_graph=kind not in (k.WRITER, k.SAVER))
        return Value(kind, call=node, single=symbol in k.ASSIGNMENTS)

    def _chained(
        self, node: ast.Call, symbol: str, arguments: list[Value], traced: bool
    ) -> Value | None:
        """``tf.train.AdamOptimizer(1e-3).minimize(loss)``: the method of a call's result."""
        if not isinstance(node.func, ast.Attribute):
            return None
        return self._method(node, node.func, arguments, traced)

    def _method(
        self, node: ast.Call, func: ast.Attribute, arguments: list[Value], traced: bool
    ) -> Value | None:
        symbol = self.symbol(func.value)
        if symbol is not None and "()" not in symbol and symbol.split(".")[0] != "builtins":
            return None
        base = self.value(func.value)
        method = func.attr
        if base.kind == k.OPTIMIZER:
            kind = {
                "minimize": k.TRAIN, "apply_gradients": k.TRAIN, "compute_gradients": k.GRADIENTS,
            }.get(method, k.TENSOR)
            return Value(kind, call=node, base=base)
        if base.kind == k.EMA:
            if method == "apply":
                return Value(k.EFFECT, call=node, base=base)
            kind = k.VARIABLES if method == "variables_to_restore" else k.OP
            return Value(kind, call=node, base=base)
        if base.kind == k.ITERATOR:
            if method == "get_next":
                return Value(k.ELEMENT, call=node, base=base)
            if method == "string_handle":
                return Value(k.HANDLE, call=node, base=base)
            return Value(k.ITERATOR_INIT if method == "make_initializer" else k.PY, call=node,
                         base=base)
        if base.kind == k.DATASET:
            kind = k.ITERATOR if "iterator" in method else k.DATASET
            return Value(kind, call=node, base=base, needs_graph=traced or base.needs_graph)
        if base.kind == k.VARIABLE:
            if method in ("assign", "assign_add", "assign_sub"):
                return Value(k.EFFECT, call=node, base=base, single=True)
            if method in ("get_shape", "set_shape"):
                return PYTHON_VALUE
            return Value(k.OP, call=node, base=base)
        if base.kind == k.SUPERVISOR:
            sessions = ("managed_session", "prepare_or_wait_for_session")
            return Value(k.SESSION if method in sessions else k.PY, call=node, base=base)
        if base.kind == k.SESSION:
            return Value(k.PY, call=node, base=base)
        if base.kind in (k.GRAPH, k.SAVER, k.WRITER, k.COORDINATOR):
            return Value(k.PY, call=node, base=base)
        if base.traced:
            if method in ("eval", "run"):
                return Value(k.PY, call=node, base=base)
            return Value(k.TENSOR, call=node, base=base)
        if base.kind == k.OP:
            if method in ("eval", "run"):
                return Value(k.PY, call=node, base=base)
            return Value(k.TENSOR if traced else k.OP, call=node, base=base)
        if dotted_self(func, self.owner) is not None:
            return None
        if traced:
            return Value(k.TENSOR, call=node, base=base)
        return None

    def _project_call(
        self, node: ast.Call, fact: FunctionFact, arguments: list[Value]
    ) -> Value:
        traced = any(a.traced or a.kind in (k.OP, k.VARIABLE) for a in arguments)
        flat = "tuple" in fact.flags  # of one tensor each
        parts = [Value(kind, call=node, single=flat) for kind in fact.parts] or None
        single = "single" in fact.flags
        if fact.kind in (k.DATASET, k.OPTIMIZER, k.VARIABLE, k.EFFECT, k.TRAIN, k.ITERATOR):
            needs = any(a.traced for a in arguments)
            kind = k.TENSOR if fact.kind == k.VARIABLE and needs else fact.kind
            return Value(kind, call=node, parts=parts, needs_graph=needs,
                         container="container" in fact.flags)
        if traced or fact.kind in k.TRACED:
            kind = fact.kind if fact.kind in k.TRACED else k.TENSOR
            if kind != fact.kind:
                parts = [Value(kind, call=node, single=True) for _ in parts or ()] if flat else None
            return Value(kind, call=node, parts=parts, single=single)
        if fact.kind == k.OP or ("ops" in fact.flags and fact.kind != k.PY):
            return Value(k.TENSOR if "layers" in fact.flags else k.OP, call=node, single=single)
        return Value(fact.kind, call=node, parts=parts)


def _literal_part(value: Value, key: Any) -> Value | None:
    if value.parts is None:
        return None
    if isinstance(value.literal, ast.Dict):
        for node, part in zip(value.literal.keys, value.parts, strict=False):
            if isinstance(node, ast.Constant) and node.value == key:
                return part
        return None
    if isinstance(key, int) and -len(value.parts) <= key < len(value.parts):
        return value.parts[key]
    return None


