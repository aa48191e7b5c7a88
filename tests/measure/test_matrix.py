"""The matrix: which cells there are, and in which order they run."""

from migrator.measure.matrix import Matrix, cells
from migrator.workload.spec import Workload

FORWARD = Workload("forward", "function", call="m:f")
TRAIN = Workload("train", "function", mode="training", call="m:g")


def test_before_and_after_stand_side_by_side() -> None:
    found = cells([FORWARD], Matrix(batches=(1, 8)))
    assert [c.side for c in found][:2] == ["before", "after"]
    assert {c.batch for c in found if c.side == "before"} == {1, 8}
    assert len(found) == len(set(found)) == 2 * (1 + 5)


def test_reduced_precision_only_as_a_function() -> None:
    reduced = [c for c in cells([TRAIN], Matrix()) if c.precision != "float32"]
    assert reduced and {c.execution for c in reduced} == {"function"}


def test_axes_restrict() -> None:
    only = Matrix(batches=(4,), executions=("xla",), modes=("training",), sides=("after",))
    (cell,) = cells([FORWARD, TRAIN], only)
    assert (cell.workload, cell.execution, cell.batch) == ("train", "xla", 4)
    assert cells([Workload("t", "tests", paths=("*",))], Matrix()) == ()
