"""Which graph collections a call reads and fills, and whether it may make variables."""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import COLLECTIONS, LOSSES, SUMMARIES, UPDATES, Flow
from migrator.analysis.values import FunctionFact, Value, collection_key


class Resources:
    """Reads what calls do besides their value; `Expressions` says what they call."""

    function: Callable[[str], FunctionFact | None]

    def symbol(self, node: ast.expr) -> str | None:
        """The canonical name of what an expression calls."""
        raise NotImplementedError

    def tf_symbol(self, node: ast.expr) -> str | None:
        """`symbol` if it is TensorFlow's."""
        raise NotImplementedError

    def call_fact(self, node: ast.Call) -> FunctionFact | None:
        """What is known of the project function that a call calls."""
        raise NotImplementedError

    def value(self, node: ast.expr | None) -> Value:
        """The value of an expression."""
        raise NotImplementedError

    def _of_module(self, func: ast.expr) -> bool:
        raise NotImplementedError

    def resources(self, node: ast.Call) -> Flow:
        """Which graph collections a call reads and fills."""
        flow = Flow()
        symbol = self.tf_symbol(node.func)
        flow.of_module = self._of_module(node.func)
        if symbol is None:
            fact = self.call_fact(node)
            flags = fact.flags if fact is not None else frozenset()
            if fact is not None and flags & {"ops", "layers"}:
                flow.mutates |= {LOSSES, SUMMARIES, COLLECTIONS, UPDATES}
            if "reads losses" in flags:
                flow.uses |= {LOSSES}
            return flow
        name = symbol.removeprefix("tensorflow.")
        kind = k.call_kind(symbol)
        if kind == k.SUMMARY:
            flow.mutates.add(SUMMARIES)
        elif kind == k.MERGED and name != "summary.merge":
            flow.uses.add(SUMMARIES)
        elif name.startswith(("losses.get", "contrib.losses.get", "contrib.slim.losses.get")):
            flow.uses.add(LOSSES)
        elif name.startswith(("losses.", "contrib.losses.", "contrib.slim.losses.")):
            flow.mutates.add(LOSSES)
        elif name == "add_to_collection" or name == "add_to_collections":
            flow.mutates |= {COLLECTIONS, LOSSES, SUMMARIES, UPDATES}
        elif name in ("get_collection", "get_collection_ref"):
            key = collection_key(node)
            wanted = k.COLLECTION_KEYS.get(key or "")
            if wanted == k.UPDATE_OPS:
                flow.uses.add(UPDATES)
            elif wanted == k.MERGED:
                flow.uses.add(SUMMARIES)
            elif wanted != k.VARIABLES:
                flow.uses |= {COLLECTIONS, LOSSES}
        elif k.is_layer(symbol):
            flow.mutates |= {LOSSES, COLLECTIONS, UPDATES}
        elif kind == k.VARIABLE and any(a.arg == "regularizer" for a in node.keywords):
            flow.mutates.add(LOSSES)
        return flow

    def may_make_variables(self, call: ast.Call) -> bool:
        """Whether a call makes variables under TF1 names when it is first traced."""
        symbol = self.symbol(call.func) or ""
        if symbol.startswith("tensorflow."):
            return k.is_layer(symbol) or k.call_kind(symbol) == k.VARIABLE
        fact = self.call_fact(call)
        if fact is not None:
            return bool(fact.flags & {"layers", "variables"})
        if symbol.split(".")[0] in ("builtins", "numpy", "math", "os", "functools", "six"):
            return False
        if self._may_make_as_method(call):
            return True
        given = [*call.args, *(a.value for a in call.keywords)]
        if not any(self.value(a).traced for a in given):
            return False
        if isinstance(call.func, ast.Attribute):
            base = self.value(call.func.value)
            if base.kind in k.HOISTED - {k.PY} or base.traced or base.kind == k.OP:
                return False
        return True

    def _may_make_as_method(self, call: ast.Call) -> bool:
        """Whether an object that is no tensor is called by what a class of the project makes variables by."""
        if not isinstance(call.func, ast.Attribute) or call.func.attr in ("run", "eval"):
            return False
        base = self.value(call.func.value)
        made = base.call
        if base.kind in k.HOISTED - {k.PY} or base.kind == k.OP or base.traced and (
                made is None or self.tf_symbol(made.func) is not None):
            return False
        fact = self.function(f".{call.func.attr}")
        return fact is not None and bool(fact.flags & {"layers", "variables"})
