"""How far the outputs of a cell are from those of the plain function in float32."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from migrator.measure.records import Cell, CellResult

NOT_FINITE = 1e30  # JSON has no infinity


def difference(outputs: Any, reference: Any) -> float | None:
    """Largest absolute difference over the largest absolute value of the reference.

    Both are lists of lists of numbers. None where they cannot be compared: other lengths, nothing
    at all. NOT_FINITE where a value is not finite on one side only.
    """
    if not outputs or not reference or [len(a) for a in outputs] != [len(b) for b in reference]:
        return None
    largest = worst = 0.0
    for mine, theirs in zip(outputs, reference, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            if a == b:
                largest = max(largest, abs(b) if math.isfinite(b) else 0.0)
            elif not (math.isfinite(a) and math.isfinite(b)):
                if not (math.isnan(a) and math.isnan(b)):
                    return NOT_FINITE
            else:
                largest = max(largest, abs(b))
                worst = max(worst, abs(a - b))
    return worst / largest if largest else worst


def reference_of(cell: Cell) -> Cell:
    """The cell that this one is compared with: tf.function, float32, as it is."""
    return dataclasses.replace(
        cell, side="after", execution="function", precision="float32", allocator="default",
        strategy="",
    )  # fmt: skip


def with_differences(
    results: Mapping[Cell, CellResult], raws: Mapping[Cell, Mapping[str, Any]]
) -> tuple[CellResult, ...]:
    """The results, each with its difference where outputs of both were kept.

    A child that compares by itself (`raw["difference"]`) knows better: its model has other weights.
    """
    made = []
    for cell, result in results.items():
        raw = raws.get(cell, {})
        found = raw.get("difference")
        if found is None and not cell.strategy.startswith(("swap", "variant")):
            reference = reference_of(cell)
            if reference != cell and cell.side == "after":
                found = difference(
                    raw.get("outputs"), raws.get(reference, {}).get("outputs")
                )
        made.append(dataclasses.replace(result, difference=found))
    return tuple(made)
