"""Measurement files: they come back as they were written, and errors name the field."""

import dataclasses
import json

import pytest

from migrator.measure import records
from migrator.model import to_json


def sample(peak: int = 100, wall: tuple[float, ...] = (0.1, 0.2, 0.3)) -> records.Sample:
    attribution = records.Attribution(
        peak - 10, peak, peak, 0, {"weights": 40, "activations": peak - 50},
        (records.Holder("weights", "Conv", "Conv/weights", 40),), ((0.0, 0), (0.1, peak)),
    )  # fmt: skip
    phase = records.Phase("import", 1.0, None, None, 5)
    return records.Sample(
        (phase,), 40, 0, 10, (peak, peak + 2, peak + 1), 50, wall, wall, 1, attribution
    )


CELL = records.Cell("forward", "after", "function", "float32", "inference", 8)


def test_round_trip() -> None:
    before = records.Measurement(
        {"cores": 2},
        (
            records.CellResult(CELL, "ok", (sample(), sample(200))),
            records.CellResult(CELL, "oom", detail="out of memory"),
        ),
    )
    assert records.load(to_json(before)) == before


def test_peaks_are_maxima_and_times_medians_over_processes() -> None:
    result = records.CellResult(CELL, "ok", (sample(100), sample(300), sample(200)))
    assert result.requested_peak == 290
    assert result.allocator_peak == 302
    assert result.step_seconds == 0.2
    assert not records.CellResult(CELL, "ok").ok


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda d: d["cells"][0].pop("status"), r"m\.json\.cells\[0\]: field 'status'"),
        (lambda d: d["cells"][0]["cell"].pop("batch"), r"cells\[0\]\.cell: field 'batch'"),
        (lambda d: d.update(cells={}), r"cells: expected a list"),
        (
            lambda d: d["cells"][0]["samples"][0].update(wall=3),
            r"samples\[0\]\.wall: expected a list",
        ),
        (lambda d: d["cells"][0]["samples"][0].update(wall=["x"]), r"wall\[0\]: expected float"),
        (
            lambda d: d["cells"][0]["samples"][0]["attribution"]["categories"].update(weights=None),
            r"attribution\.categories\.weights: expected int, found null",
        ),
        (
            lambda d: d["cells"][0]["samples"][0]["attribution"].update(timeline=[[0.5]]),
            r"timeline\[0\]: expected a list, found \[0\.5\]",
        ),
        (lambda d: d.update(schema=99), "schema 99 is newer"),
    ],
)
def test_errors_name_the_field(edit, says: str) -> None:  # type: ignore[no-untyped-def]
    measured = records.Measurement({}, (records.CellResult(CELL, "ok", (sample(),)),))
    data = json.loads(to_json(measured))
    edit(data)
    with pytest.raises(records.SchemaError, match=says):
        records.load(json.dumps(data), "m.json")


def test_older_files_lack_later_fields() -> None:
    measured = records.Measurement({}, (records.CellResult(CELL, "ok", (sample(),)),))
    data = json.loads(to_json(measured))
    del data["settings"], data["cells"][0]["samples"][0]["extra"]
    assert records.load(json.dumps(data)).cells[0].requested_peak == 90


def test_spread_is_half_the_range_of_all_steps_but_the_outer_eighths() -> None:
    walls = (9.0, *(1.0 + i / 10 for i in range(7))), (0.1, *(1.7 + i / 10 for i in range(7)))
    result = records.CellResult(CELL, "ok", tuple(sample(wall=w) for w in walls))
    assert result.step_range == (1.1, 2.2)
    assert result.spread == pytest.approx((2.2 - 1.1) / 2 / result.step_seconds)  # type: ignore[operator]
    assert records.CellResult(CELL, "ok", (sample(),)).spread is None


@pytest.mark.parametrize(
    ("missing", "requested", "peak"),
    [(0, 90, 90), (1, 90, 90), (20, 90, 102), (-20, 90, 102), (0, 150, 102)],
)
def test_requested_bytes_count_where_the_allocator_agrees(
    missing: int, requested: int, peak: int
) -> None:
    one = sample()
    assert one.attribution is not None
    traced = dataclasses.replace(
        one.attribution, requested_peak=requested, replay_peak=100 - missing, missing=missing
    )
    result = records.CellResult(CELL, "ok", (dataclasses.replace(one, attribution=traced),))
    assert result.peak == peak and result.reconciles == (peak == 90)


def test_ids_tell_cells_apart() -> None:
    other = records.Cell("forward", "after", "function", "float32", "inference", 16)
    assert CELL.id != other.id
    assert "/" not in records.Cell("a/b", "after", "xla", "float32", "training", 1).id


@pytest.mark.parametrize(
    ("detail", "reason"),
    [
        ("", "no output"),
        ("Traceback\nRuntimeError: no data\nexit code 1\n", "exit code 1: RuntimeError: no data"),
        ("going\n\nstopped after 8 s", "stopped after 8 s: going"),
        ("out of memory", "out of memory"),
        ("\ufffdA\ufffd\x85\ufffd end\nexit code 3", "exit code 3: (binary output)"),
        ("F tensorflow\nnot measured yet", "not measured yet"),
        ("x" * 1000, "x" * records.REASON),
    ],
)
def test_why_a_cell_has_no_figures(detail: str, reason: str) -> None:
    cell = records.Cell("w", "after", "function", "float32", "inference", 1)
    assert records.CellResult(cell, "failed", (), detail).reason == reason
