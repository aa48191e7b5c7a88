"""Where it is asked whether a dimension is None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.static_shapes import asked_for_none
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding


@tells("None", "hape")
def never_none(changed: Changed) -> Iterator[Finding]:
    """Where it asks whether a dimension is None, and now gets an answer."""
    for node in asked_for_none(changed.before.tree):
        was = isinstance(node.ops[0], (ast.IsNot, ast.NotIn))
        other = "a known" if isinstance(node.ops[0], ast.NotEq) else "an unknown"
        yield changed.told(
            "TF130", node,
            f"for every tensor of TensorFlow 1 this was {str(was).lower()}: no dimension is None, or "
            f"equal or unequal to it. In TensorFlow 2 {other} size makes it {str(not was).lower()}",
            f"Decide which branch such a size takes: {was} in place of the comparison is what TensorFlow 1 "
            "did, the comparison as it stands is probably what was meant.",
        )  # fmt: skip
