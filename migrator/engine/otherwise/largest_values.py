"""The largest values that nobody sorts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_TOP_K = frozenset(("tensorflow.nn.top_k", "tensorflow.math.top_k"))


@tells("top_k")
def unsorted(changed: Changed) -> Iterator[Finding]:
    """The largest values as the kernel finds them: `top_k(..., sorted=False)` of more than one."""
    for call in changed.calls_of(_TOP_K):
        given = dict(zip(("input", "k", "sorted"), call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg}
        how, k = given.get("sorted"), given.get("k")
        always = how is None or (isinstance(how, ast.Constant) and bool(how.value))
        if not always and k is not None and not (isinstance(k, ast.Constant) and k.value == 1):
            yield changed.told(
                "TF152", call,
                "without sorting, TensorFlow 2 gives the largest values in another order than TensorFlow 1",
                "Where only the set of values matters there is nothing to do. Weights behind them (k-max "
                "pooling that is flattened) that TensorFlow 1 trained give other results: train them again, "
                "best with sorted=True.",
            )  # fmt: skip
