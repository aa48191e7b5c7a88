"""Several result files on one page: the same machine over time, and machines beside each other."""

from __future__ import annotations

import collections
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from migrator.measure import records
from migrator.measure.records import Cell, CellResult, Measurement
from migrator.project.tree import read_named
from migrator.report import text
from migrator.report.charts import SERIES, Bar, Chart
from migrator.report.compared import NOISE
from migrator.report.model import Section, Statement, Table

MOST_BYTES = 1 << 30  # of a file of results

CHANGED = 40  # rows of a comparison that are shown as a chart at most


@dataclass(frozen=True, slots=True)
class ResultSet:
    """One machine's results at one time. label: how the page calls it."""

    label: str
    machine: str
    when: str
    measured: Measurement
    source: str

    def cells(self) -> dict[Cell, CellResult]:
        return {r.cell: r for r in self.measured.cells}


def machine(environment: dict[str, Any]) -> str:
    """A name for the machine: its GPUs, else its processor."""
    gpus = collections.Counter(
        str(g.get("name", "GPU")) for g in environment.get("gpus") or () if isinstance(g, dict)
    )
    if gpus:
        return ", ".join(f"{n} × {name}" if n > 1 else name for name, n in gpus.items())
    return f"{environment.get('cpu') or 'unknown processor'}, {environment.get('cores', '?')} cores"


def _parts(measured: Measurement) -> list[tuple[dict[str, Any], Measurement]]:
    """One measurement for each machine that a merged file holds."""
    labels = {r.machine for r in measured.cells}
    if not measured.machines or labels == {""}:
        return [(measured.environment, measured)]
    found = []
    for label in sorted(labels):
        environment = {"label": label, **measured.machines.get(label, measured.environment)}
        cells = tuple(r for r in measured.cells if r.machine == label)
        found.append((environment, Measurement(environment, cells, measured.settings)))
    return found


def load(paths: Sequence[Path]) -> tuple[ResultSet, ...]:
    """The sets of these files or folders, oldest first.

    Raises:
      SchemaError, OSError: a file is not there or not a measurement; names file and field.
    """
    found = []
    for path in paths:
        file = path / "measure.json" if path.is_dir() else path
        measured = records.load(read_named(file, MOST_BYTES)[0].decode("utf-8"), str(file))
        name = file.stem if file.stem != "measure" else file.resolve().parent.name
        if name == ".migrator":
            name = file.resolve().parent.parent.name
        for environment, part in _parts(measured):
            label = str(environment.get("label") or name)
            found.append(ResultSet(
                label, machine(environment), str(environment.get("when") or ""), part, str(file),
            ))  # fmt: skip
    found.sort(key=lambda s: s.when)
    return tuple(_distinct(found))


def _distinct(sets: Sequence[ResultSet]) -> list[ResultSet]:
    """The sets with labels that tell them apart."""
    counts = collections.Counter(s.label for s in sets)
    seen: collections.Counter[str] = collections.Counter()
    made = []
    for s in sets:
        label = s.label
        if counts[label] > 1:
            seen[label] += 1
            label = f"{label} ({s.when[:16].replace('T', ' ') or seen[s.label]})"
        made.append(ResultSet(label, s.machine, s.when, s.measured, s.source))
    if len({s.label for s in made}) < len(made):
        made = [
            ResultSet(f"{s.label} #{i}", s.machine, s.when, s.measured, s.source)
            for i, s in enumerate(made, 1)
        ]
    return made


def _value(result: CellResult | None, what: str) -> float | None:
    if result is None or not result.ok:
        return None
    if what == "bytes":
        return result.peak
    return result.step_seconds


def _table(title: str, sets: Sequence[ResultSet], what: str, note: str, relative: bool) -> Table:
    """A row for each cell that at least two sets have, a column for each set."""
    held = [s.cells() for s in sets]
    show = text.size if what == "bytes" else text.duration
    rows = []
    for cell in dict.fromkeys(c for cells in held for c in cells):
        results = [cells.get(cell) for cells in held]
        if sum(r is not None for r in results) < 2:
            continue
        values = [_value(r, what) for r in results]
        shown = [
            "–" if r is None else show(v) if r.ok else text.status(r.status)
            for r, v in zip(results, values, strict=True)
        ]
        known = [v for v in values if v]
        last = text.ratio(known[-1], known[0]) if relative and len(known) > 1 else ""
        rows.append((
            f"{text.titled(cell.workload, cell.mode)}, batch {cell.batch}", cell.title, *shown,
            *((last,) if relative else ()),
        ))  # fmt: skip
    columns = ("workload", "variant", *(s.label for s in sets))
    columns += ("last / first",) if relative else ()
    return Table(title, columns, tuple(rows), frozenset(range(2, len(columns))), note)


def _charts(name: str, sets: Sequence[ResultSet]) -> tuple[Chart, ...]:
    """The plain tf.function cells that several sets have."""
    found = []
    for what, title in (("bytes", "Peak memory"), ("seconds", "Step time")):
        bars: list[Bar] = []
        for number, s in enumerate(sets):
            for cell, result in s.cells().items():
                plain = cell.execution == "function" and cell.precision == "float32"
                value = _value(result, what)
                if not plain or cell.strategy or not value:
                    continue
                shown = text.size(value) if what == "bytes" else text.duration(value)
                bars.append(Bar(
                    f"{cell.workload}, {cell.batch}", s.label, float(value), shown,
                    SERIES[number % len(SERIES)],
                ))  # fmt: skip
        times = collections.Counter(group for group, _ in {(b.group, b.series) for b in bars})
        groups = [g for g in dict.fromkeys(b.group for b in bars) if times[g] > 1][:CHANGED]
        ordered = tuple(b for g in groups for b in bars if b.group == g)
        found.append(Chart(
            f"{name}-{what}", f"{title} as tf.function, float32", "bars",
            f"{title} of each result set by workload and batch", ordered,
        ))  # fmt: skip
    return tuple(c for c in found if c.bars)


def _changes(sets: Sequence[ResultSet]) -> list[Statement]:
    """What changed between the first and the last set that have a cell."""
    first_seen: dict[Cell, tuple[ResultSet, CellResult]] = {}
    last_seen: dict[Cell, tuple[ResultSet, CellResult]] = {}
    for s in sets:
        for cell, result in s.cells().items():
            first_seen.setdefault(cell, (s, result))
            last_seen[cell] = (s, result)
    said: list[tuple[float, Statement]] = []
    same = 0
    for cell, (old_set, old) in first_seen.items():
        new_set, new = last_seen[cell]
        if old_set is new_set:
            continue
        where = f"{text.titled(cell.workload, cell.mode)}, batch {cell.batch}, {cell.title}"
        if old.ok != new.ok:
            kind = "good" if new.ok else "bad"
            said.append((9.0, Statement(
                kind, f"{where}: {text.status(old.status)} in {old_set.label}, "
                f"{text.status(new.status)} in {new_set.label}.",
            )))  # fmt: skip
            continue
        was, now = _value(old, "bytes"), _value(new, "bytes")
        if not was or not now:
            continue
        change = now / was - 1
        if abs(change) <= NOISE.get(cell.mode, 0.05):
            same += 1
            continue
        how = f"{'fell' if change < 0 else 'rose'} by {abs(change):.0%}"
        said.append((abs(change), Statement(
            "good" if change < 0 else "bad",
            f"{where}: peak memory {how} from {text.size(was)} ({old_set.label}) to "
            f"{text.size(now)} ({new_set.label}).",
        )))  # fmt: skip
    said.sort(key=lambda pair: -pair[0])
    found = [s for _, s in said[:8]]
    if len(said) > 8:
        found.append(Statement("neutral", f"{len(said) - 8} more cells changed; see the table."))
    if same:
        found.append(Statement(
            "neutral", f"{text.plural(same, 'cell')} kept {'its' if same == 1 else 'their'} peak "
            "memory (less than 2 % apart in inference, 5 % in training).",
        ))  # fmt: skip
    return found


def _machines(newest: Sequence[ResultSet]) -> list[Statement]:
    """Which machine is fastest, for each workload at its largest common batch."""
    held = [s.cells() for s in newest]
    common = [
        c for c in held[0]
        if c.execution == "function" and c.precision == "float32" and not c.strategy
        and all(_value(cells.get(c), "seconds") for cells in held)
    ]  # fmt: skip
    largest: dict[tuple[str, str], Cell] = {}
    for c in sorted(common, key=lambda c: c.batch):
        largest[c.workload, c.mode] = c
    found = []
    for c in largest.values():
        times = {s.label: _value(s.cells()[c], "seconds") or 0.0 for s in newest}
        best, worst = min(times, key=times.__getitem__), max(times, key=times.__getitem__)
        if times[worst] <= 1.1 * times[best]:
            where = f"{text.titled(c.workload, c.mode)}, batch {c.batch}"
            found.append(Statement("neutral", f"{where}: equally fast on all of them."))
            continue
        found.append(Statement(
            "neutral",
            f"{text.titled(c.workload, c.mode)}, batch {c.batch}: fastest on {best} "
            f"({text.duration(times[best])} a step), {text.ratio(times[worst], times[best])} of it "
            f"on {worst}.",
        ))  # fmt: skip
    return found


def sections(sets: Sequence[ResultSet]) -> list[Section]:
    """Comparisons over time for each machine, and of the machines' newest sets."""
    by_machine: dict[str, list[ResultSet]] = collections.defaultdict(list)
    for s in sets:
        by_machine[s.machine].append(s)
    made: list[Section] = []
    for number, (name, mine) in enumerate(by_machine.items()):
        measured = collections.Counter(c for s in mine for c in s.cells())
        if not any(number > 1 for number in measured.values()):
            continue
        said = _changes(mine)
        note = "Requested peak where a step was traced, else the allocator's; oldest first."
        made.append(Section(
            f"time-{number}", f"Over time: {name}", f"{len(mine)} results, oldest first", "", tuple(said),
            _charts(f"time-{number}", mine),
            (_table("Peak memory over time", mine, "bytes", note, True),
             _table("Step time over time", mine, "seconds", "", True)), open=True,
        ))  # fmt: skip
    if len(by_machine) > 1:
        beside = newest(sets)
        said = _machines(beside)
        made.append(Section(
            "machines", "Machines beside each other",
            f"{len(beside)} machines",
            "The newest results of each: " + "; ".join(f"{s.label}: {s.machine}" for s in beside),
            tuple(said), _charts("machines", beside),
            (_table("Peak memory by machine", beside, "bytes", "", False),
             _table("Step time by machine", beside, "seconds", "", False)), open=True,
        ))  # fmt: skip
    return made


def newest(sets: Sequence[ResultSet]) -> tuple[ResultSet, ...]:
    """A set for each machine: the newest, and from the older ones the cells that it does not have."""
    found: dict[str, ResultSet] = {}
    for s in sets:
        old = found.get(s.machine)
        cells = {**(old.cells() if old is not None else {}), **s.cells()}
        found[s.machine] = replace(s, measured=replace(s.measured, cells=tuple(cells.values())))
    return tuple(found.values())


def is_forecast(path: Path) -> bool:
    """Whether a file holds predictions (predict.json) and no measurement."""
    if path.is_dir():
        return False
    try:
        raw = json.loads(read_named(path, MOST_BYTES)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(raw, dict) and "forecasts" in raw and "cells" not in raw
