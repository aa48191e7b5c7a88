"""Boxes of equal scores, among which non-maximum suppression chooses."""

from __future__ import annotations

from collections.abc import Iterator

from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding, Rung

_KINDS = ("non_max_suppression", "non_max_suppression_padded", "non_max_suppression_with_scores",
          "non_max_suppression_overlaps", "combined_non_max_suppression")  # fmt: skip
_SUPPRESSIONS = frozenset(f"tensorflow.image.{kind}" for kind in _KINDS)


@tells("non_max_suppression")
def tied(changed: Changed) -> Iterator[Finding]:
    """Calls of non-maximum suppression, whose kernel takes boxes of one score as its queue has them."""
    for call in changed.calls_of(_SUPPRESSIONS):
        yield changed.told(
            "TF155", call,
            "of boxes whose scores are equal to the last digit, TensorFlow 2 takes others first than "
            "TensorFlow 1, and so keeps others where they overlap or are too many",
            "There is nothing to do where scores differ, as those of a trained network mostly do; "
            "comparisons with recorded boxes need scores that are not saturated.", Rung.NATIVE,
        )  # fmt: skip
