"""Which tensors of a step live when."""

from __future__ import annotations

import pytest

from migrator.measure.programs import measure_live as live
from migrator.measure.programs import measure_trace as mt
from tests.measure.test_trace import alloc, free


def tensor(time: int, addr: int, size: int, op: str, shape: str = "[8,4]") -> mt.Event:
    event = alloc(time, addr, size, op)
    event.stats.update(data_type=1, shape=shape)
    return event


def test_tensors_have_a_life_a_shape_and_a_maker() -> None:
    found = live.table(
        [tensor(0, 1, 1000, "net/a/Conv2D:Conv2D"), tensor(2_000_000, 2, 500, "net/b/Relu"),
         free(5_000_000, 1, 1000), free(6_000_000, 99, 4)],  # the last lived before the step
        {"weights": {"net/a/kernel": 64}}, lambda op: "net.py:7" if op.startswith("net/a") else "",
    )  # fmt: skip
    words = found["words"]
    rows = [[*r[:3], *(words[i] for i in r[3:])] for r in found["tensors"]]
    assert rows == [
        [0.0, 5.0, 1000, "activations", "net/a", "net/a/Conv2D", "8×4", "float32", "net.py:7"],
        [2.0, -1.0, 500, "activations", "net/b", "net/b/Relu", "8×4", "float32", ""],
        [-1.0, -1.0, 64, "weights", "net/a", "net/a/kernel", "", "", ""],
    ]


def test_what_is_listed_adds_up_to_what_was_live() -> None:
    events = [tensor(i * 1_000_000, i, 100 * i, f"op{i}") for i in range(1, 30)]
    events += [free((40 + i) * 1_000_000, i, 100 * i) for i in range(1, 20)]
    run = mt.replay(events)
    rows = live.table(events, {}, lambda op: "")["tensors"]
    start = run.timeline[0][0]
    for time, total in run.timeline:
        at = (time - start) / 1e6
        assert sum(r[2] for r in rows if r[0] <= at and (r[1] < 0 or r[1] > at)) == total


def test_the_smallest_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "KEPT", 2)
    events = [tensor(i, i, 100 * i, "op") for i in range(1, 5)]
    found = live.table(events, {}, lambda op: "")
    assert [r[2] for r in found["tensors"]] == [400, 300] and found["left_out"] == 2
