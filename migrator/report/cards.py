"""The section that says which batch fits which GPU, from peaks measured or predicted elsewhere."""

from __future__ import annotations

import collections

from migrator.measure.predict import devices
from migrator.measure.records import PRECISIONS, CellResult, Measurement
from migrator.report.model import Section, Table

SLACK = 1.10  # the allocator's chunks over the requested bytes (docs/measuring.md: up to 10 %)


def _peaks(results: list[CellResult]) -> list[tuple[int, int]]:
    return [(r.cell.batch, r.requested_peak) for r in results if r.ok and r.requested_peak]


def section(measured: Measurement, catalogue: tuple[devices.Device, ...]) -> Section | None:
    """Largest batch for each card, workload, mode and precision; None without two batch sizes."""
    groups: dict[tuple[str, str, str], list[CellResult]] = collections.defaultdict(list)
    for r in measured.cells:
        if r.cell.side == "after" and r.cell.execution == "function":
            groups[r.cell.workload, r.cell.mode, r.cell.precision].append(r)
    columns, lines = [], []
    for (workload, _mode, precision), results in groups.items():
        points = _peaks(results)
        if len({b for b, _ in points}) >= 2:
            columns.append(f"{workload}, {precision}")
            lines.append((precision, devices.line([(b, int(p * SLACK)) for b, p in points])))
    if not columns:
        return None
    rows = []
    for device in catalogue:
        cells = []
        for precision, line in lines:
            has = {"mixed_float16": device.float16, "mixed_bfloat16": device.bfloat16}
            if precision in PRECISIONS[1:] and not has[precision]:
                cells.append("no hardware")
            else:
                fitting = line.largest(device.usable)
                cells.append(f"{fitting:,}" if fitting else "does not fit")
        rows.append((device.name, f"{device.memory / devices.GIB:.0f} GiB", *cells))
    table = Table(
        "Largest batch that fits",
        ("card", "memory", *columns), tuple(rows), frozenset(range(1, len(columns) + 2)),
        "From the line through the measured requested peaks, 10 % slack for the allocator added and "
        "the driver's share taken off. Workspaces of cuDNN are not in it: an upper bound to start "
        "from, to be confirmed on the card.",
    )  # fmt: skip
    return Section("cards", "Which batch fits which GPU", "", tables=(table,))
