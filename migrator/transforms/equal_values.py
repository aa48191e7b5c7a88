"""Orders of equal values: `argsort` leaves them open, and NumPy 2 gives others than NumPy 1."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in
from migrator.analysis.values import argument
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms.array_bytes import is_no_module

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY240"
_STABLE = frozenset({"stable", "mergesort"})


@transform
class EqualValues:
    """PY240: tells where an order is asked for that equal values have none in.

    Boxes that overlap alike, anchors of one score: which of them comes first decides what is trained on.
    """

    name = "equal_values"
    triggers: frozenset[str] = frozenset()
    words = frozenset({"argsort("})
    order = 88

    def run(self, ctx: FileContext) -> str | None:
        for call in calls_in(ctx.tree):
            if isinstance(call.func, ast.Attribute) and call.func.attr == "argsort" and (
                    self._is_open(ctx, call) and not ctx.suppressed(CODE, call)):
                ctx.finding(
                    CODE, call,
                    "argsort leaves the order of equal values open: NumPy 2 sorts in another way than NumPy "
                    "1 did, and gives them another one",
                    "There is nothing to do where values differ; where they may not (overlaps with anchors, "
                    "counts, rounded scores), write kind='stable', as np.argsort has it, and expect another "
                    "choice than before once.", Rung.NATIVE)  # fmt: skip
        return None

    @staticmethod
    def _is_open(ctx: FileContext, call: ast.Call) -> bool:
        """Whether NumPy sorts, or an array does, by no kind that keeps the order."""
        assert isinstance(call.func, ast.Attribute)
        function = ctx.names.resolve_node(call.func, values=False) == "numpy.argsort"
        if not function and not is_no_module(ctx, call.func.value):
            return False
        kind = argument(call, 1 + function, "kind")
        return not (isinstance(kind, ast.Constant) and kind.value in _STABLE or any(
            word.arg == "stable" for word in call.keywords))
