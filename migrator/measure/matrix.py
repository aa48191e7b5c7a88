"""Which cells to measure: batch sizes x precision x execution x mode, before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from migrator.measure import strategies
from migrator.measure.records import Cell
from migrator.workload.spec import Workload


@dataclass(frozen=True, slots=True)
class Matrix:
    """The axes. `sides` lets one side be measured alone; `strategies` are words of
    `strategies.parse`, measured at the largest batch on the migrated side."""

    batches: tuple[int, ...] = (1, 8)
    executions: tuple[str, ...] = ("eager", "function", "xla")
    precisions: tuple[str, ...] = ("float32", "mixed_float16", "mixed_bfloat16")
    modes: tuple[str, ...] = ("inference", "training")
    allocators: tuple[str, ...] = ("default",)
    sides: tuple[str, ...] = ("before", "after")
    strategies: tuple[str, ...] = ()


MEASURED = ("function", "graph", "model", "frozen_graph", "saved_model", "keras_file")
_GRAPHS = ("graph", "frozen_graph", "saved_model")  # no policy reaches into them, nothing runs eagerly
_WITHOUT_BEFORE = ("keras_file",)  # TF 1.15 cannot read what Keras 3 stores


def cells(workloads: Iterable[Workload], matrix: Matrix) -> tuple[Cell, ...]:
    """The cells for these workloads, before and after interleaved within each batch size.

    Reduced precision is measured with tf.function only: eager and XLA get float32, so that each
    strategy is compared with the one below it and the matrix stays small.
    """
    found: list[Cell] = []
    for workload in workloads:
        if workload.kind not in MEASURED or workload.mode not in matrix.modes:
            continue
        batches = _batches(workload, matrix.batches)
        for batch in batches:
            for allocator in matrix.allocators:
                rest = (workload.mode, batch, allocator)
                if "before" in matrix.sides and workload.kind not in _WITHOUT_BEFORE:
                    found.append(Cell(workload.name, "before", "graph_session", "float32", *rest))
                if "after" not in matrix.sides:
                    continue
                for execution in matrix.executions:
                    if execution == "eager" and workload.kind in _GRAPHS:
                        continue
                    for precision in _precisions(workload, execution, matrix.precisions):
                        found.append(Cell(workload.name, "after", execution, precision, *rest))
        if matrix.strategies and "after" in matrix.sides:
            found += _strategies(workload, max(batches), matrix)
    return tuple(dict.fromkeys(found))


def _strategies(workload: Workload, batch: int, matrix: Matrix) -> list[Cell]:
    """One cell for each strategy, and the plain function that they are compared with."""
    name, mode = workload.name, workload.mode
    found = [Cell(name, "after", "function", "float32", mode, batch)]
    for word in strategies.expand(matrix.strategies, workload, batch):
        execution = strategies.of(word).execution
        found.append(Cell(name, "after", execution, "float32", mode, batch, strategy=word))
    return found


def _batches(workload: Workload, wanted: Sequence[int]) -> tuple[int, ...]:
    """The wanted sizes; where no input varies with the batch, the one that the inputs have.

    A model without described inputs takes whatever batch its own signature leaves open."""
    if not workload.inputs or any("batch" in i.shape for i in workload.inputs):
        return tuple(wanted)
    first = [i.shape[0] for i in workload.inputs if i.shape]
    return (int(first[0]) if first else workload.batch,)


def _precisions(workload: Workload, execution: str, wanted: Sequence[str]) -> tuple[str, ...]:
    reduced = execution == "function" and workload.kind not in _GRAPHS
    return tuple(p for p in wanted if reduced or p == "float32")
