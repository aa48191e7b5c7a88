"""What counts as equal, and what is said about what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrator.verify import compare
from migrator.verify.children import load_arrays
from migrator.verify.records import Status


def check(before: dict[str, Any], after: dict[str, Any], tolerance: float = 1e-5) -> Any:
    arrays = [{k: np.asarray(v) for k, v in side.items()} for side in (before, after)]
    return compare.arrays("w", "outputs", arrays[0], arrays[1], tolerance)


def test_difference_is_relative_to_the_largest_value() -> None:
    found = check({"a": [100.5, 1.0]}, {"a": [100.5, 1.0004]})
    assert found.status is Status.EQUAL
    assert found.difference == pytest.approx(0.0004 / 100.5)
    assert check({"a": [0.5, 1.5]}, {"a": [0.5, 1.5004]}).status is Status.DIFFERS


def test_the_worst_tensor_is_named() -> None:
    found = check({"a": [0.5], "b": [0.25], "c": [0.1]}, {"a": [0.5], "b": [0.3], "c": [0.11]})
    assert (found.status, found.where) == (Status.DIFFERS, "b")
    assert "2 differ: b, c" in found.detail


def test_noise_is_compared_on_the_scale_of_the_group() -> None:
    before, after = {"big": [3.3], "noise": [1e-12]}, {"big": [3.3], "noise": [-4e-12]}
    assert check(before, after).status is Status.EQUAL
    # alone, the same tensor is what is compared
    del before["big"], after["big"]
    assert check(before, after).status is Status.DIFFERS


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([1, 2], [1, 3]),
        ([1.0, 7.0, 0.0], [1.0, 7.0, 1e-6]),  # class ids as floats
        ([True, False], [True, True]),
        (np.array([b"cat"]), np.array([b"dog"])),
    ],
)
def test_integers_classes_and_strings_are_exact(before: Any, after: Any) -> None:
    assert check({"a": before}, {"a": before}).status is Status.EQUAL
    assert check({"a": before}, {"a": after}, tolerance=10.0).status is Status.DIFFERS


def test_all_zeros_are_no_class_ids() -> None:
    assert check({"a": np.zeros(3)}, {"a": np.full(3, 1e-9)}).status is Status.EQUAL


def test_finite_values_have_to_be_at_the_same_places() -> None:
    nan, inf = float("nan"), float("inf")
    assert check({"a": [nan, 0.5, inf]}, {"a": [nan, 0.5, inf]}).status is Status.EQUAL
    for other in ([0.5, 0.5, inf], [nan, 0.5, -inf], [nan, nan, inf]):
        found = check({"a": [nan, 0.5, inf]}, {"a": other})
        assert found.status is Status.DIFFERS
        assert "not the same values are finite" in found.detail
        assert found.difference is None  # infinity has no place in JSON


def test_shapes_and_lost_tensors() -> None:
    found = check({"a": [[0.5, 0.5]], "b": [0.5]}, {"a": [0.5, 0.5], "z": [0.1]})
    assert found.status is Status.DIFFERS
    assert "a: shape [1, 2] became [2]" in found.detail
    assert "not there after the migration: b" in found.detail
    assert "1 more after" in found.detail


def test_nothing_to_compare_is_not_equality() -> None:
    assert check({}, {"a": [1.5]}).status is Status.NOT_RUN


def test_empty_arrays_are_equal() -> None:
    assert check({"a": np.zeros([0, 4])}, {"a": np.zeros([0, 4])}).status is Status.EQUAL


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5),
    st.floats(1e-4, 1e3), st.integers(0, 4),
)  # fmt: skip
def test_every_difference_above_the_tolerance_is_found(
    values: list[float], factor: float, at: int
) -> None:
    before = np.array([0.5, *values])
    after = before.copy()
    after[at % len(before)] += factor * np.max(np.abs(before)) * 2e-5 / 1e-4
    assert check({"a": before}, {"a": after}, 1e-5).status is Status.DIFFERS


def test_a_single_array_is_read(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.arange(3))
    np.savez(tmp_path / "two.npz", a=np.ones(1), b=np.zeros(2))
    assert load_arrays(tmp_path / "one.npy")["array"].tolist() == [0, 1, 2]
    assert sorted(load_arrays(tmp_path / "two.npz")) == ["a", "b"]


def test_a_slot_may_be_as_far_off_as_rounding_moves_most_of_its_kind() -> None:
    """Weights hardly move in one step, and are many; how far a gradient jumps is told by the others."""
    random = np.random.RandomState(0)
    names = [f"layer{k}/{part}" for k in range(12) for part in ("weights", "beta", "mean", "variance")]
    before = {name: random.randn(50) for name in names}
    slots = [f"layer{k}/weights/Momentum" for k in range(12)]
    before |= {slot: random.randn(50) for slot in slots}

    def moved(by: float, but: str, there: float) -> dict[str, Any]:
        return {name: value * (1 + (there if name == but else by if name in slots else 1e-7))
                for name, value in before.items()}

    def status(after: dict[str, Any], shaken: dict[str, Any]) -> Status:
        return compare.arrays("w", "checkpoint", before, after, 1e-5, "variable", [shaken]).status

    shaken = moved(0.01, slots[3], 0.0001)
    assert status(moved(0.005, slots[3], 0.03), shaken) is Status.EQUAL
    assert status(moved(0.005, slots[3], 0.05), shaken) is Status.DIFFERS
    assert status(moved(0.005, "layer3/weights", 0.03), shaken) is Status.DIFFERS
    assert compare.slots([*names, *slots, "step"]) == dict.fromkeys(slots, "Momentum")
