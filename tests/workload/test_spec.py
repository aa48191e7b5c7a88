"""Workload files: what is accepted, and what the errors name."""

from pathlib import Path

import pytest

from migrator.workload import spec

GOOD = """
[[workload]]
name = "forward"
kind = "function"
call = "net.model:predict"
inputs = [{ name = "images", shape = ["batch", 8, 8, 3], low = -1.0 }]
kwargs = { is_training = false }
"""


def test_reads_a_function_workload(tmp_path: Path) -> None:
    (tmp_path / spec.SPEC_FILE).write_text(GOOD)
    (workload,) = spec.find(tmp_path)
    assert workload.call == "net.model:predict"
    assert workload.kwargs == {"is_training": False}
    assert workload.inputs[0].concrete_shape(4) == (4, 8, 8, 3)


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (("kind", "knid"), "unknown key 'knid'"),
        (('"function"', '"functoin"'), "kind is one of"),
        (('call = "net.model:predict"', ""), "needs 'call'"),
        (('"batch", 8', '"bach", 8'), "shape of input 'images'"),
        (('name = "images", ', ""), "at least a name"),
        (("[[workload]]", "[workload]"), "two brackets"),
        (('name = "forward"', "name = "), "line"),
    ],
)
def test_errors_name_the_place(tmp_path: Path, edit: tuple[str, str], says: str) -> None:
    (tmp_path / spec.SPEC_FILE).write_text(GOOD.replace(*edit))
    with pytest.raises(spec.SpecError, match=says) as caught:
        spec.find(tmp_path)
    assert spec.SPEC_FILE in str(caught.value)


def test_two_workloads_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / spec.SPEC_FILE).write_text(GOOD + GOOD)
    with pytest.raises(spec.SpecError, match="two workloads"):
        spec.find(tmp_path)
