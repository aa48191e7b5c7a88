"""Picks, from what was measured, how a workload should run; and writes that down."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from migrator.measure.records import CellResult

OBJECTIVES = ("memory", "speed", "balanced", "size")
NOISE = {"inference": 0.02, "training": 0.05}  # of memory; what is below is no difference
BEGIN, END = "# tuned by `migrator measure --tune`: begin", "# tuned by `migrator measure --tune`: end"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One configuration as it was measured: bytes, seconds, and why it was left, if it was.

    score: the objective's value over the baseline's; below 1 is better. first: seconds of the first
    step, in which it is traced and compiled. pays_after: the steps after which what its first step takes
    longer than the baseline's is earned back by the later ones; None where they are no faster.
    """

    title: str
    execution: str
    precision: str
    strategy: str
    allocator: str
    peak: int | None
    step: float | None
    size: int | None
    difference: float | None
    score: float | None
    rejected: str = ""
    first: float | None = None
    pays_after: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """What was picked for one workload at one batch size, from which candidates."""

    workload: str
    mode: str
    batch: int
    objective: str
    max_difference: float
    chosen: Candidate
    baseline: Candidate
    candidates: tuple[Candidate, ...]


def choose(
    results: Iterable[CellResult], objective: str, max_difference: float
) -> tuple[Choice, ...]:
    """A choice for each workload and machine at its largest batch that has a baseline.

    The baseline is tf.function in float32. A candidate must be better by more than the noise: 2 %
    (inference) or 5 % (training) of memory, the spread of both for time; "speed" may cost no
    memory beyond the noise. Its outputs may differ by max_difference, relative to the largest;
    outputs that cannot be compared (another architecture) rule it out.
    """
    groups: dict[tuple[str, str, str], list[CellResult]] = defaultdict(list)
    for r in results:
        if r.cell.side == "after" and r.cell.execution != "command":
            groups[r.cell.workload, r.cell.mode, r.machine].append(r)
    made = []
    for group in groups.values():
        found = [r for r in group if r.ok and _is_baseline(r)]
        if not found:
            continue
        base = max(found, key=lambda r: r.cell.batch)
        same = [r for r in group if r.cell.batch == base.cell.batch]
        candidates = [_candidate(r, base, objective, max_difference) for r in same]
        usable = [c for c in candidates if c.score is not None and not c.rejected]
        reference = _candidate(base, base, objective, max_difference)
        best = min(usable, key=lambda c: c.score or 1.0, default=reference)
        chosen = best if (best.score or 1.0) < 1.0 else reference
        made.append(Choice(
            base.cell.workload, base.cell.mode, base.cell.batch, objective, max_difference,
            chosen, reference, tuple(sorted(candidates, key=lambda c: c.score or 9e9)),
        ))  # fmt: skip
    return tuple(made)


def _is_baseline(r: CellResult) -> bool:
    c = r.cell
    return (c.execution, c.precision, c.strategy, c.allocator) == (
        "function", "float32", "", "default",
    )  # fmt: skip


def _stored(r: CellResult) -> int | None:
    """Bytes of the stored model packed; of the plain program, its weights."""
    if not r.samples:
        return None
    return r.samples[0].compressed or r.samples[0].size or r.samples[0].weights


def _noise_of_time(a: CellResult, b: CellResult) -> float:
    """The wider spread of the two."""
    return max(0.02, a.spread or 0.0, b.spread or 0.0)


def _candidate(
    r: CellResult, base: CellResult, objective: str, max_difference: float
) -> Candidate:
    cell = r.cell
    peak, step, size = (r.peak, r.step_seconds, _stored(r)) if r.ok else (None, None, None)
    score, rejected = None, ""
    if not r.ok:
        rejected = r.status
    elif r is not base:
        rejected = _too_different(r, max_difference)
    if r is base:
        score = 1.0
    elif not rejected:
        score, rejected = _score(r, base, objective)
    return Candidate(
        cell.title.partition(": ")[2], cell.execution, cell.precision, cell.strategy,
        cell.allocator, peak, step, size, r.difference, score, rejected, _first(r), _pays_after(r, base),
    )  # fmt: skip


def _first(r: CellResult) -> float | None:
    """Seconds of a process's first step, the median of the processes."""
    taken = [p.seconds for s in r.samples for p in s.phases if p.name == "first step"]
    return statistics.median(taken) if r.ok and taken else None


def _pays_after(r: CellResult, base: CellResult) -> int | None:
    times = _first(r), _first(base), r.step_seconds, base.step_seconds
    if None in times:
        return None
    first, usual, step, old = (t or 0.0 for t in times)
    if step >= old:
        return None
    return max(0, math.ceil(round((first - usual) / (old - step), 6)))


def _too_different(r: CellResult, most: float) -> str:
    if r.difference is None:
        if r.cell.allocator != "default" and not r.cell.strategy and r.cell.precision == "float32":
            return ""
        return "its outputs were not compared"
    return f"outputs differ by {r.difference:.2g}" if r.difference > most else ""


def _score(r: CellResult, base: CellResult, objective: str) -> tuple[float | None, str]:
    """(value over the baseline's, why it cannot be taken)."""

    def ratio(a: float | None, b: float | None) -> float | None:
        return a / b if a and b else None

    memory, speed = ratio(r.peak, base.peak), ratio(r.step_seconds, base.step_seconds)
    noise, time_noise = NOISE[r.cell.mode], _noise_of_time(r, base)
    value, least = {
        "memory": (memory, noise), "speed": (speed, time_noise),
        "size": (ratio(_stored(r), _stored(base)), 0.0),
        "balanced": (
            memory * speed if memory and speed else None, noise + time_noise
        ),
    }[objective]  # fmt: skip
    if value is None:
        return None, "not measured in bytes of the same kind" if objective != "speed" else "no times"
    if objective == "speed" and memory and memory > 1 + noise:
        return value, f"takes {memory - 1:.0%} more memory"
    if value > 1 - least:
        return value, "no better than the noise" if value <= 1 + least else "worse"
    return value, ""


def settings_text(choices: Iterable[Choice]) -> str:
    """The choices as a table for migrator.toml, between two comment lines."""
    lines = [BEGIN]
    for c in choices:
        name = c.workload.replace("\\", "\\\\").replace('"', '\\"')
        lines += [
            "[[tuned]]", f'workload = "{name}"', f'mode = "{c.mode}"', f"batch = {c.batch}",
            f'execution = "{c.chosen.execution}"', f'precision = "{c.chosen.precision}"',
            f'strategy = "{c.chosen.strategy}"', f'allocator = "{c.chosen.allocator}"',
            f'objective = "{c.objective}"',
        ]  # fmt: skip
    return "\n".join([*lines, END]) + "\n"


def write_settings(path: Path, choices: Iterable[Choice]) -> None:
    """Puts the choices into a workload file, in the place of those that were there."""
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    head, begin, rest = old.partition(BEGIN)
    _, _, tail = rest.partition(END)
    kept = head.rstrip("\n") + ("\n\n" if head.strip() else "")
    after = tail.lstrip("\n") if begin else ""
    path.write_text(kept + settings_text(choices) + ("\n" + after if after else ""), "utf-8")


def policy(choices: Iterable[Choice]) -> str:
    """The precision policy that all choices of training, else of inference, agree on; or "" ."""
    found = list(choices)
    training = [c for c in found if c.mode == "training"] or found
    names = {c.chosen.precision for c in training}
    return names.pop() if len(names) == 1 else ""
