"""The runner: what is kept, what is tried again, and when no repetition is begun any more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from migrator.measure import jobs, matrix, records, runner
from migrator.measure.jobs import Job, Outcome, Settings
from migrator.workload import child
from migrator.workload.spec import Input, Workload

FORWARD = Workload(
    "forward", "model", call="m:f", inputs=(Input("input", ("batch", 8)),), kwargs={"a": 1}
)
AXES = matrix.Matrix(batches=(4,), executions=("function", "xla"), precisions=("float32",))


def raw(wall: float = 0.1, outputs: Any = ((1.0, 2.0),)) -> dict[str, Any]:
    return {
        "phases": [], "weights": 8, "slots": 0, "inputs": 4, "steady_peaks": [10],
        "steady_in_use": 9, "wall": [wall], "cpu": [wall], "traces": 1,
        "outputs": [list(o) for o in outputs],
    }  # fmt: skip


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """run(outcome of a job) measures the matrix; `.ran` lists the jobs that were really run."""
    (tmp_path / "m.py").write_text("def f(a): ...")

    class Run:
        ran: list[tuple[str, str, int]] = []

        def __call__(self, answer: Any, **settings: Any) -> records.Measurement:
            self.ran = []

            def execute(job: Job, root: Path, warm: Any = None) -> Outcome:
                self.ran.append((job.cell.side, job.cell.execution, job.repeat))
                return answer(job)

            monkeypatch.setattr(jobs, "execute", execute)
            return runner.run(
                tmp_path, tmp_path, [FORWARD], tmp_path / "out", AXES, Settings(**settings)
            )

    return Run()


def test_why_a_process_ended_is_what_went_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tail = (
        "InvalidArgumentError: Graph execution error:\nNode: 'Reshape'\n"
        "Input to reshape is a tensor with 49 values, but the requested shape has 98\n"
        "\t [[{{node Reshape}}]]\n\nOriginal stack trace for 'Reshape':\n  File \"net.py\", line 3, in net\n"
    )
    ended = child.Outcome("failed", 1, 0.1, tail)
    monkeypatch.setattr(child, "run", lambda *_, **__: ended)
    (job, *_) = (Job(c, FORWARD, 0, Settings()) for c in matrix.cells([FORWARD], AXES))
    assert jobs.execute(job, tmp_path).detail.endswith("with 49 values, but the requested shape has 98")


def test_rounds_interleave_the_cells(run: Any) -> None:
    measured = run(lambda job: Outcome(raw()), repeats=2)
    one = [("before", "graph_session"), ("after", "function"), ("after", "xla")]
    assert run.ran == [(*c, 0) for c in one] + [(*c, 1) for c in one]
    assert [len(r.samples) for r in measured.cells] == [2, 2, 2]


def test_what_is_compared_is_repeated_first(run: Any) -> None:
    run(lambda job: Outcome(raw()), repeats=3)
    kinds = [(repeat, execution == "xla") for _, execution, repeat in run.ran]
    assert kinds == [
        (0, False), (0, False), (0, True), (1, False), (1, False), (2, False), (2, False),
        (1, True), (2, True),
    ]  # fmt: skip


def test_a_run_that_was_stopped_goes_on(run: Any, tmp_path: Path) -> None:
    class Stopped(BaseException):
        pass

    def stop(job: Job) -> Outcome:
        if job.cell.execution == "xla" and job.repeat == 1:
            raise Stopped
        return Outcome(raw())

    with pytest.raises(Stopped):
        run(stop, repeats=2)
    left = records.load((tmp_path / "out" / "measure.json").read_text())
    assert [len(r.samples) for r in left.cells] == [2, 2, 1]  # written after every process
    measured = run(lambda job: Outcome(raw()), repeats=2)
    assert run.ran == [("after", "xla", 1)]
    assert all(r.ok and len(r.samples) == 2 for r in measured.cells)


def test_a_run_that_was_stopped_early_says_what_it_lacks(run: Any, tmp_path: Path) -> None:
    def stop(job: Job) -> Outcome:
        if job.cell.execution == "xla":
            raise KeyboardInterrupt
        return Outcome(raw())

    with pytest.raises(KeyboardInterrupt):
        run(stop, repeats=2)
    left = records.load((tmp_path / "out" / "measure.json").read_text())
    assert [(r.ok, r.detail) for r in left.cells] == [
        (True, ""), (True, ""), (False, runner.NOT_YET)
    ]  # fmt: skip


def test_results_are_kept_and_crashes_tried_again(run: Any) -> None:
    ends = {"graph_session": "oom", "function": "failed", "xla": "unsupported"}

    def end(job: Job) -> Outcome:
        return Outcome(None, ends[job.cell.execution], "why it ended")

    measured = run(end, repeats=2)
    assert len(run.ran) == 3  # a cell that has failed is not repeated
    assert {r.cell.execution: r.status for r in measured.cells} == ends
    assert {r.detail for r in measured.cells} == {"why it ended"}
    again = run(lambda job: Outcome(raw()), repeats=1)
    assert run.ran == [("after", "function", 0)]
    assert [r.status for r in again.cells] == ["oom", "ok", "unsupported"]


def test_more_time_or_memory_is_another_try(run: Any) -> None:
    ends = {"graph_session": "oom", "function": "timeout", "xla": "unsupported"}

    def end(job: Job) -> Outcome:
        return Outcome(None, ends[job.cell.execution], "why")

    run(end, repeats=1, timeout=5.0)
    run(end, repeats=1, timeout=50.0)
    assert [e for _, e, _ in run.ran] == ["function"]
    run(end, repeats=1, timeout=50.0, memory_limit=2**30)
    assert [e for _, e, _ in run.ran] == ["graph_session"]


def test_what_changes_a_result_is_measured_again(run: Any, tmp_path: Path) -> None:
    run(lambda job: Outcome(raw()), repeats=1)
    run(lambda job: Outcome(raw()), repeats=1, budget=100.0, timeout=5.0)
    assert run.ran == []  # neither changes what a process finds
    run(lambda job: Outcome(raw()), repeats=1, steps=5)
    assert len(run.ran) == 3
    jobs._sources.cache_clear()
    (tmp_path / "m.py").write_text("def f(a): return a")
    run(lambda job: Outcome(raw()), repeats=1, steps=5)
    assert len(run.ran) == 3


def test_a_spent_budget_begins_no_repetition(run: Any) -> None:
    measured = run(lambda job: Outcome(raw()), repeats=3, budget=1e-9)
    assert [r for _, _, r in run.ran] == [0, 0, 0]
    assert all(r.ok for r in measured.cells)


def test_a_broken_file_is_measured_again(run: Any, tmp_path: Path) -> None:
    run(lambda job: Outcome(raw()), repeats=1)
    paths = sorted((tmp_path / "out" / "cells").glob("*.json"))
    paths[0].write_text("{")
    paths[1].write_text(json.dumps({"raw": {"phases": 1}}))
    run(lambda job: Outcome(raw()), repeats=1)
    assert len(run.ran) == 2


def test_outputs_are_compared_with_the_plain_function(run: Any) -> None:
    def answer(job: Job) -> Outcome:
        return Outcome(raw(outputs=((1.0, 2.5),) if job.cell.execution == "xla" else ((1.0, 2.0),)))

    by = {r.cell.execution: r.difference for r in run(answer, repeats=1).cells}
    assert by == {"graph_session": None, "function": None, "xla": 0.25}
