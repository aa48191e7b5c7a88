"""Whether a value of a graph is one tensor or several: a list, a tuple or a dict of them."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.values import Value, argument


class Forms:
    """Tells forms apart; `Expressions` says what values are."""

    def tf_symbol(self, node: ast.expr) -> str | None:
        """TensorFlow's name of what an expression calls."""
        raise NotImplementedError

    def value(self, node: ast.expr | None) -> Value:
        """The value of an expression."""
        raise NotImplementedError

    def is_container(self, value: Value) -> bool:
        """Whether a value is known to be a list or dict of tensors."""
        if value.container or value.parts is not None and value.literal is not None:
            return True
        if value.kind == k.GRADIENTS:
            return True  # what compute_gradients gives: a list of pairs
        if value.call is None or value.base is not None:
            return False
        return self.tf_symbol(value.call.func) in k.LISTS

    def gives_several(self, call: ast.Call, asked: frozenset[int] = frozenset()) -> bool:
        """Whether a call of TensorFlow's may give more than one tensor; `asked`: the ids of calls that lead
        to it, as `x = tf.cond(p, lambda: y, lambda: x)` leads to itself."""
        symbol = self.tf_symbol(call.func)
        if symbol == "tensorflow.py_func":
            return isinstance(argument(call, 2, "Tout"), (ast.List, ast.Tuple))
        if symbol == "tensorflow.cond":
            ways = [argument(call, 1, "true_fn"), argument(call, 2, "false_fn")]
            return id(call) in asked or not all(
                isinstance(way, ast.Lambda) and self.is_one(self.value(way.body), asked | {id(call)})
                for way in ways)
        return symbol in k.SEVERAL

    def is_one(self, value: Value, asked: frozenset[int] = frozenset()) -> bool:
        """Whether a value is known to be one tensor; `asked` as of `gives_several`."""
        if value.single or value.parts is not None or value.call is None:
            return value.single
        return self.tf_symbol(value.call.func) is not None and not self.gives_several(value.call, asked)
