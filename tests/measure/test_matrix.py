"""The matrix: which cells there are, and in which order they run."""

from migrator.measure.matrix import Matrix, cells
from migrator.workload.spec import Input, Workload

IMAGES = (Input("images", ("batch", 8, 8, 3)),)
FORWARD = Workload("forward", "function", call="m:f", inputs=IMAGES)
TRAIN = Workload("train", "function", mode="training", call="m:g", inputs=IMAGES)


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


def test_fixed_shapes_are_measured_once() -> None:
    fixed = Workload("fixed", "function", call="m:f", inputs=(Input("x", (4, 8)),))
    assert {c.batch for c in cells([fixed], Matrix(batches=(1, 8, 32)))} == {4}
