"""The report of what an H100 measured (samples/reports/h100): right in every headline."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from migrator.measure import device_memory, records
from migrator.report import answers, compared, memory

SAVED = Path(__file__).resolve().parents[2] / "samples" / "reports" / "h100"


@pytest.fixture(scope="module")
def measured() -> records.Measurement:
    return records.load((SAVED / "ssd" / "measure.json").read_text())


def pair_of(measured: records.Measurement, mode: str) -> compared.Pair:
    return next(p for p in compared.pairs(measured) if p.after.cell.mode == mode)


def cell(measured: records.Measurement, mode: str, batch: int, execution: str) -> records.CellResult:
    return next(
        r for r in measured.cells
        if (r.cell.mode, r.cell.batch, r.cell.execution) == (mode, batch, execution)
        and r.cell.precision == "float32"
    )  # fmt: skip


def test_a_trace_that_counts_pinned_memory_is_refused(measured: records.Measurement) -> None:
    """The forward passes' traces hold up to 1.8 times what the allocator gave: its own figure counts."""
    for batch in (1, 32):
        r = cell(measured, "inference", batch, "function")
        assert not r.reconciles and r.peak == r.allocator_peak and (r.peak or 0) < (r.requested_peak or 0)
    pair = pair_of(measured, "inference")
    assert pair.figure == "the allocator's bytes"
    assert pair.peaks == (1572712704, 1516474112)
    assert cell(measured, "training", 32, "function").reconciles
    assert pair_of(measured, "training").peaks == (2632727644, 2623061836)


def test_times_with_the_way_of_results_in_them_decide_nothing(measured: records.Measurement) -> None:
    verdict = pair_of(measured, "inference").speed()
    assert verdict.verdict == "unknown" and "pinned" in verdict.line  # 3.48 times by the clock
    training = pair_of(measured, "training").speed()
    assert training.verdict == "no" and training.change == "1.06×"  # a loss is no transfer


def test_a_transfer_that_was_timed_apart_is_told(measured: records.Measurement) -> None:
    def timed(r: records.CellResult, wall: float, delivered: float) -> records.CellResult:
        samples = [
            dataclasses.replace(s, wall=(wall,) * 8, delivered=(delivered,) * 3) for s in r.samples
        ]
        return dataclasses.replace(r, samples=tuple(samples))

    found = pair_of(measured, "inference")
    verdict = compared.Pair(timed(found.before, 0.010, 0.03), timed(found.after, 0.009, 0.1)).speed()
    assert verdict.verdict == "yes" and "30 ms before, 100 ms after" in verdict.line


def test_the_drivers_figure_is_split_and_told(measured: records.Measurement) -> None:
    r = cell(measured, "training", 32, "function")
    parts = compared.on_card(r)
    assert parts is not None
    assert parts.process == parts.in_use + parts.slack + parts.outside
    assert parts.in_use + parts.slack == 8589934592 and 400 << 20 < parts.outside < 800 << 20
    assert parts.process == max(p.process for p in device_memory.of_sample(r.samples[0]))
    (told,) = [
        s.text for section in memory.sections(measured, compared.pairs(measured)) for s in section.statements
        if "the driver counts" in s.text and "training" in s.text
    ]  # fmt: skip
    assert "8.6 GiB" in told and "2.6 GiB of it are tensors" in told and "CUDA context" in told
    answer = answers.memory(measured, compared.pairs(measured))
    assert answer.verdict == "yes" and "of the whole card the process has 8.6 GiB" in answer.line


def test_xla_and_halves_are_told_in_time_and_memory(measured: records.Measurement) -> None:
    section = memory.comparison(measured.cells, compared.pairs(measured))
    assert section is not None
    told = {s.text.partition(",")[0]: s.text for s in section.statements}
    training, forward = told["SSD MobileNet 300 training"], told["SSD MobileNet 300 forward (inference)"]
    assert "XLA: 13.5 ms (0.42×), 2.5 GiB (1.02×)" in training
    assert "mixed_float16: 36.4 ms (1.12×), 1.3 GiB (0.53×)" in training
    assert " ms" not in forward.partition("over before")[2]  # times that carry the results decide nothing


def test_everything_that_was_saved_can_be_read() -> None:
    for path in SAVED.glob("*/measure.json"):
        assert records.load(path.read_text(), path.name).cells
    assert json.loads((SAVED / "ssd" / "verify.json").read_text())["checks"]
