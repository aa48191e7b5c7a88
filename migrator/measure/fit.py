"""Finds the largest batch that runs, by running: doubling until one fails, then bisecting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from migrator.measure import jobs
from migrator.measure.jobs import Job, Outcome, Settings
from migrator.measure.records import Cell, sample_from_json
from migrator.workload.spec import Workload

# Ways to end that mean "too large": oneDNN aborts the process where its allocator gives nothing.
TOO_LARGE = ("oom", "killed")


class FitError(RuntimeError):
    """The workload cannot be run at any batch size for a reason that is not memory."""


@dataclass(frozen=True, slots=True)
class Try:
    """One batch size that was run: its status, and its peaks in bytes where it ran."""

    batch: int
    status: str
    requested_peak: int | None = None
    allocator_peak: int | None = None
    rss: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Fit:
    """largest: batch size (0: not even one). ceiling: whether the search ended at its own limit
    and not at the device's. limit: bytes of the allocator, 0 for the device's own."""

    workload: str
    mode: str
    execution: str
    precision: str
    strategy: str
    limit: int
    memory_limit: int
    device: str
    largest: int
    ceiling: bool
    tries: tuple[Try, ...]


def bisect(fits: Callable[[int], bool], most: int, first: int = 1) -> tuple[int, bool]:
    """(largest size that fits, whether that is `most`), asking for each size at most once.

    Sizes double from `first` until one does not fit. Memory grows with the batch, so that what
    fits is an unbroken range from 1.
    """
    low, high, size = 0, most + 1, min(first, most)
    while size < high:
        if fits(size):
            low, size = size, min(size * 2, most)
            if low == most:
                return most, True
        else:
            high = size
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low, False


def run(
    workload: Workload,
    root: Path,
    *,
    side: str = "after",
    execution: str = "function",
    precision: str = "float32",
    strategy: str = "",
    limit: int = 0,
    most: int = 4096,
    first: int = 1,
    multiple: int = 1,
    settings: Settings | None = None,
    progress: Callable[[Try], None] | None = None,
) -> Fit:
    """Bisects with one short process a size.

    limit: bytes that the device's allocator may hand out (0: all that there is). multiple: only
    such batch sizes are tried, for gradient accumulation in equal parts.

    Raises:
      FitError: the program fails for another reason, or its inputs do not vary with the batch.
    """
    if workload.inputs and not any("batch" in i.shape for i in workload.inputs):
        raise FitError(
            f"{workload.name}: no input has the size 'batch', so there is no batch to vary"
        )
    base = settings or Settings()
    short = Settings(
        repeats=1, warmups=1, steps=2, threads=base.threads, arena_bytes=0, timeout=base.timeout,
        trace=False, tf1_python=base.tf1_python, memory_limit=base.memory_limit,
    )  # fmt: skip
    allocator = f"limit:{limit}" if limit else "default"
    tries: list[Try] = []
    device = ""

    def fits(units: int) -> bool:
        nonlocal device
        batch = units * multiple
        cell = Cell(
            workload.name, side, execution, precision, workload.mode, batch, allocator, strategy
        )
        outcome = jobs.execute(Job(cell, workload, 0, short), root)
        made = _try(batch, outcome)
        if outcome.raw is not None:
            device = outcome.raw["extra"].get("device", "")
        tries.append(made)
        if progress is not None:
            progress(made)
        if made.status not in ("ok", *TOO_LARGE):
            raise FitError(f"{workload.name}, batch {batch}: {made.status}\n{made.detail}")
        return made.status == "ok"

    largest, ceiling = bisect(fits, max(1, most // multiple), max(1, first // multiple))
    return Fit(
        workload.name, workload.mode, execution, precision, strategy, limit, base.memory_limit,
        device, largest * multiple, ceiling, tuple(tries),
    )  # fmt: skip


def _try(batch: int, outcome: Outcome) -> Try:
    if outcome.raw is None:
        return Try(batch, outcome.status, detail=outcome.detail)
    sample = sample_from_json(outcome.raw)
    peaks = [p.peak for p in sample.phases if p.peak is not None]
    return Try(
        batch, "ok",
        allocator_peak=max([*sample.steady_peaks, *peaks], default=None),  # type: ignore[type-var]
        rss=max(p.rss for p in sample.phases),
    )  # fmt: skip
