"""Which cells to measure: batch sizes x precision x execution x mode, before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from migrator.measure.records import Cell
from migrator.workload.spec import Workload


@dataclass(frozen=True, slots=True)
class Matrix:
    """The axes. `sides` lets one side be measured alone."""

    batches: tuple[int, ...] = (1, 8)
    executions: tuple[str, ...] = ("eager", "function", "xla")
    precisions: tuple[str, ...] = ("float32", "mixed_float16", "mixed_bfloat16")
    modes: tuple[str, ...] = ("inference", "training")
    allocators: tuple[str, ...] = ("default",)
    sides: tuple[str, ...] = ("before", "after")


def cells(workloads: Iterable[Workload], matrix: Matrix) -> tuple[Cell, ...]:
    """The cells for these workloads, before and after interleaved within each batch size.

    Reduced precision is measured with tf.function only: eager and XLA get float32, so that each
    strategy is compared with the one below it and the matrix stays small.
    """
    found: list[Cell] = []
    for workload in workloads:
        if workload.kind != "function" or workload.mode not in matrix.modes:
            continue
        for batch in _batches(workload, matrix.batches):
            for allocator in matrix.allocators:
                rest = (workload.mode, batch, allocator)
                if "before" in matrix.sides:
                    found.append(Cell(workload.name, "before", "graph_session", "float32", *rest))
                if "after" not in matrix.sides:
                    continue
                for execution in matrix.executions:
                    for precision in _precisions(execution, matrix.precisions):
                        found.append(Cell(workload.name, "after", execution, precision, *rest))
    return tuple(dict.fromkeys(found))


def _batches(workload: Workload, wanted: Sequence[int]) -> tuple[int, ...]:
    """The wanted sizes; where no input varies with the batch, the one that the inputs have."""
    if any("batch" in i.shape for i in workload.inputs):
        return tuple(wanted)
    first = [i.shape[0] for i in workload.inputs if i.shape]
    return (int(first[0]) if first else workload.batch,)


def _precisions(execution: str, wanted: Sequence[str]) -> tuple[str, ...]:
    return tuple(p for p in wanted if execution == "function" or p == "float32")
