"""Fit, tune, merge and strategies: decisions that need no TensorFlow."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Any

import pytest

from migrator.measure import compare, fit, jobs, merge, strategies, tune
from migrator.measure.jobs import Job, Outcome
from migrator.measure.matrix import Matrix, cells
from migrator.measure.records import Attribution, Cell, CellResult, Measurement, Phase, Sample
from migrator.workload.spec import Input, Workload

IMAGES = (Input("images", ("batch", 8, 8, 3)),)
TRAIN = Workload("train", "model", mode="training", call="m:g", inputs=IMAGES)
FORWARD = Workload(
    "forward", "function", call="m:f", inputs=IMAGES, variants={"v2": {"kwargs": {"depth": 2}}}
)
BASE = Cell("train", "after", "function", "float32", "training", 8)


# -- fit


@pytest.mark.parametrize("largest", [0, 1, 2, 3, 7, 8, 21, 63, 64])
def test_bisect_finds_the_largest(largest: int) -> None:
    asked: list[int] = []

    def fits(size: int) -> bool:
        asked.append(size)
        return size <= largest

    assert fit.bisect(fits, 64) == (largest, largest == 64)
    assert len(asked) == len(set(asked)) <= 13


def test_bisect_begins_where_it_is_told() -> None:
    asked: list[int] = []

    def fits(size: int) -> bool:
        asked.append(size)
        return size <= 3

    assert fit.bisect(fits, 64, first=16) == (3, False)
    assert asked[0] == 16 and max(asked) == 16


def test_fit_takes_a_killed_process_for_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Job] = []

    def execute(job: Job, root: Path) -> Outcome:
        seen.append(job)
        if job.cell.batch > 12:
            return Outcome(None, "oom" if job.cell.batch > 20 else "killed", "aborted")
        return Outcome({
            "phases": [{"name": "steady", "seconds": 1, "in_use": 1, "peak": 5, "rss": 7}],
            "weights": 1, "slots": 0, "inputs": 1, "steady_peaks": [9], "steady_in_use": 1,
            "wall": [], "cpu": [], "traces": 1, "extra": {"device": "CPU:0"},
        })  # fmt: skip

    monkeypatch.setattr(jobs, "execute", execute)
    found = fit.run(TRAIN, Path(), limit=2**30, strategy="accumulate:4", multiple=4)
    assert (found.largest, found.ceiling, found.device) == (12, False, "CPU:0")
    assert {j.cell.batch % 4 for j in seen} == {0}
    assert {j.cell.allocator for j in seen} == {f"limit:{2**30}"}
    assert not any(j.settings.trace or j.settings.arena_bytes for j in seen)
    assert [t.allocator_peak for t in found.tries if t.status == "ok"][0] == 9


def test_fit_stops_at_an_error_that_is_not_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "execute", lambda j, r: Outcome(None, "failed", "KeyError: 'x'"))
    with pytest.raises(fit.FitError, match="KeyError"):
        fit.run(TRAIN, Path(), limit=2**20)
    with pytest.raises(fit.FitError, match="no input has the size 'batch'"):
        fit.run(dataclasses.replace(TRAIN, inputs=(Input("x", (4, 8)),)), Path())


# -- tune


def sample(peak: int, wall: float, compressed: int | None = None) -> Sample:
    found = Attribution(peak, peak, peak, 0, {}, (), ())
    return Sample(
        (), 5, 0, 1, (peak,), peak, (wall,) * 5, (wall,) * 5, 1, found, {}, None, compressed
    )


def result(peak: int, wall: float, difference: float | None = 0.0, **cell: Any) -> CellResult:
    return CellResult(
        dataclasses.replace(BASE, **cell), "ok", (sample(peak, wall), sample(peak, wall * 1.01)),
        difference=difference,
    )  # fmt: skip


RESULTS = (
    result(1000, 1.0, None),
    result(600, 1.2, 1e-4, precision="mixed_float16"),
    result(500, 2.5, 0.0, strategy="recompute"),
    result(1300, 0.7, 1e-6, execution="xla"),
    result(980, 0.8, 0.0, execution="eager"),
    result(100, 0.1, None, strategy="swap:mobilenet_v2"),
    result(300, 0.3, 0.4, precision="mixed_bfloat16"),
    CellResult(dataclasses.replace(BASE, strategy="accumulate:4"), "oom"),
)


@pytest.mark.parametrize(
    ("objective", "strategy", "precision", "execution"),
    [
        ("memory", "recompute", "float32", "function"),
        ("speed", "", "float32", "eager"),  # XLA is faster, but takes 30 % more memory
        ("balanced", "", "mixed_float16", "function"),
    ],
)
def test_tune_picks_by_measurement(
    objective: str, strategy: str, precision: str, execution: str
) -> None:
    (choice,) = tune.choose(RESULTS, objective, 0.01)
    picked = choice.chosen
    assert (picked.strategy, picked.precision, picked.execution) == (strategy, precision, execution)
    why = {c.strategy or c.precision: c.rejected for c in choice.candidates}
    assert why["accumulate:4"] == "oom"
    assert why["swap:mobilenet_v2"] == "its outputs were not compared"
    assert why["mixed_bfloat16"] == "outputs differ by 0.4"


def test_tune_keeps_the_baseline_for_a_gain_within_the_noise() -> None:
    (choice,) = tune.choose((RESULTS[0], result(970, 1.0, 0.0, execution="eager")), "memory", 0.01)
    assert choice.chosen == choice.baseline
    assert tune.choose(RESULTS[1:], "memory", 0.01) == ()


def test_tune_writes_settings_in_place_of_older_ones(tmp_path: Path) -> None:
    path = tmp_path / "migrator.toml"
    path.write_text('[[workload]]\nname = "train"\nkind = "tests"\npaths = ["*"]\n')
    for objective in ("memory", "balanced"):
        tune.write_settings(path, tune.choose(RESULTS, objective, 0.01))
    found = tomllib.loads(path.read_text())
    assert [w["name"] for w in found["workload"]] == ["train"]
    (tuned,) = found["tuned"]
    assert tuned["precision"] == "mixed_float16" and tuned["objective"] == "balanced"
    assert tune.policy(tune.choose(RESULTS, "balanced", 0.01)) == "mixed_float16"


# -- merge


def measurement(env: dict[str, Any], *results: CellResult) -> Measurement:
    return Measurement(env, results)


def test_merge_keeps_machines_apart_and_pools_the_same() -> None:
    t4, a100 = ({"gpus": [{"name": n}], "host": n} for n in ("Tesla T4", "A100"))
    one, other = result(10, 1.0), result(12, 2.0)
    failed = CellResult(BASE, "oom")
    merged = merge.merge([
        measurement(t4, one), measurement(a100, failed), measurement(t4, other), measurement(t4, one)
    ])  # fmt: skip
    assert set(merged.machines) == {"Tesla T4", "A100"}
    by = {r.machine: r for r in merged.cells}
    assert len(by["Tesla T4"].samples) == 4 and by["A100"].status == "oom"
    again = merge.merge([merged, measurement(a100, other)])
    assert {r.machine: r.status for r in again.cells} == {"Tesla T4": "ok", "A100": "ok"}


def test_two_machines_of_one_name_get_numbers() -> None:
    a, b = ({"cpu": "Xeon", "cores": 2, "host": h} for h in "ab")
    merged = merge.merge([measurement(a, result(1, 1.0)), measurement(b, result(2, 1.0))])
    assert set(merged.machines) == {"Xeon, 2 cores", "Xeon, 2 cores (2)"}
    assert {r.machine for r in merged.cells} == set(merged.machines)


# -- strategies


def test_strategies_of_a_mode() -> None:
    words = strategies.parse("all")
    trained = strategies.expand(words, TRAIN, 8)
    assert {"accumulate:4", "recompute", "swap:mobilenet_v2"} <= set(trained)
    assert not any(w.startswith(("tflite", "qat")) for w in trained)
    stored = strategies.expand(words, FORWARD, 8)
    assert {"tflite:int8", "qat", "prune", "cluster", "variant:v2"} <= set(stored)
    assert strategies.expand(words, TRAIN, 6)[0] == "accumulate:2"
    assert not any(w.startswith("accumulate") for w in strategies.expand(words, TRAIN, 1))


@pytest.mark.parametrize("bad", ["prunes", "accumulate:1", "swap:vgg", "qat:8", "tflite:int4"])
def test_strategies_that_do_not_exist(bad: str) -> None:
    with pytest.raises(strategies.StrategyError, match=bad.partition(":")[0]):
        strategies.parse(bad)


def test_strategies_are_cells_at_the_largest_batch() -> None:
    axes = Matrix(batches=(1, 8), strategies=("variant", "tflite:int8"))
    found = [c for c in cells([FORWARD], axes) if c.strategy]
    assert [(c.strategy, c.execution, c.batch) for c in found] == [
        ("variant:v2", "function", 8), ("tflite:int8", "tflite", 8),
    ]  # fmt: skip
    job = Job(found[0], FORWARD, 0, jobs.Settings())
    assert job.config()["workload"]["kwargs"] == {"depth": 2}


# -- comparison


def test_difference_is_relative_to_the_largest() -> None:
    assert compare.difference([[1.0, -4.0]], [[1.0, -5.0]]) == pytest.approx(0.2)
    assert compare.difference([[float("nan")]], [[1.0]]) == compare.NOT_FINITE
    assert compare.difference([[float("nan")]], [[float("nan")]]) == 0.0
    assert compare.difference([[1.0, 2.0]], [[1.0]]) is None
    assert compare.difference([], []) is None


def test_what_compiling_takes_is_told_in_steps() -> None:
    """A step that XLA compiled is quicker and comes later: after how many steps that has paid."""

    def cell(execution: str, first: float, step: float) -> CellResult:
        phases = (Phase("first step", first, 1, 1, 1), Phase("steady", 1.0, 1, 1, 1))
        sample = Sample(phases, 1, 0, 1, (100,), 1, (step,) * 4, (step,) * 4, 1)
        return CellResult(
            dataclasses.replace(BASE, execution=execution), "ok", (sample,), difference=0.0
        )

    def chosen(*others: CellResult) -> tune.Choice:
        (found,) = tune.choose([cell("function", 2.0, 0.030), *others], "speed", 0.01)
        return found

    found = chosen(cell("xla", 14.0, 0.010))
    assert found.chosen.execution == "xla" and found.chosen.first == 14.0
    assert found.chosen.pays_after == 600  # 12 s longer, 20 ms less a step
    assert found.baseline.pays_after is None
    slower = chosen(cell("xla", 14.0, 0.040))
    assert slower.chosen.execution == "function"
    assert {c.execution: c.pays_after for c in slower.candidates} == {"function": None, "xla": None}
    assert chosen(cell("xla", 1.0, 0.010)).chosen.pays_after == 0
