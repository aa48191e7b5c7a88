"""The data of the memory view: live bytes over a step, and what held them, for every traced cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from migrator.measure.records import Attribution, CellResult, Live, Sample
from migrator.report import text
from migrator.report.charts import Area, Chart, colour

POINTS = 240  # of a line: more than a screen can show of it
TENSORS = 12_000  # of all cells together: what a page of a megabyte has room for
STANDING = ("weights", "optimizer slots", "inputs")  # kinds that live between steps


def variant(result: CellResult) -> str:
    """How a cell is called among those of its workload and batch."""
    c = result.cell
    name = {"eager": "eager", "function": "tf.function", "xla": "tf.function + XLA",
            "graph_session": "graph session"}.get(c.execution, c.execution)  # fmt: skip
    parts = [f"{c.side}: {name}", *(v for v in (c.precision, c.strategy, c.allocator)
                                    if v not in ("", "float32", "default"))]  # fmt: skip
    return ", ".join(parts)


def tint(result: CellResult) -> str:
    """The colour of a cell among those of its workload."""
    c = result.cell
    return colour("before" if c.side == "before" else c.precision if c.precision != "float32"
                  else c.execution)  # fmt: skip


def about(result: CellResult) -> tuple[str, str, str]:
    """What a selector knows a cell by."""
    cell = result.cell
    return text.titled(cell.workload, cell.mode), str(cell.batch), variant(result)


def traced(result: CellResult) -> tuple[Sample, Attribution] | None:
    """The process whose traced step is shown: the one that needed most, as peaks are maxima."""
    found = [(s, s.attribution) for s in result.samples if s.attribution is not None]
    return max(found, key=lambda pair: pair[1].requested_peak, default=None) if result.ok else None


def standing(found: Attribution, sample: Sample) -> dict[str, int]:
    """Bytes of what lives between steps, by kind."""
    own = {"weights": sample.weights, "optimizer slots": sample.slots, "inputs": sample.inputs}
    return {k: v for k, v in own.items() if v}


def line(sample: Sample, found: Attribution) -> tuple[tuple[float, float], ...]:
    """(seconds, live bytes), with what lives between steps at the bottom, from the beginning on."""
    base = sum(standing(found, sample).values())
    points = thin(tuple((t, float(base + b)) for t, b in found.timeline))
    return ((0.0, float(base)), *points) if points and points[0][0] > 0 else points


def thin(points: tuple[tuple[float, float], ...], most: int = POINTS) -> tuple[tuple[float, float], ...]:
    """At most `most` points, each stretch kept by its highest."""
    width = max(1, -(-len(points) // most))
    return tuple(
        max(points[i : i + width], key=lambda p: p[1]) for i in range(0, len(points), width)
    )


def overlay(ident: str, before: CellResult | None, after: CellResult | None) -> Chart | None:
    """Live bytes over one step, before and after over each other, each over its own length; only what the
    allocator confirms."""
    areas, took = [], []
    for side, result in (("before", before), ("after", after)):
        one = traced(result) if result is not None and result.reconciles else None
        if one is None or result is None:
            continue
        points = line(*one)
        peak, end = max((y for _, y in points), default=0.0), points[-1][0] if points else 0.0
        name = f"{side}: peak {text.size(peak)}"
        took.append(f"{text.duration(end)} {side}")
        scaled = tuple((x / (end or 1.0), y) for x, y in points)
        areas.append(Area(name, colour(side), scaled, filled=side == "after" or before is None))
    if not areas:
        return None
    shown = after if after is not None else before
    assert shown is not None
    where = f"{about(shown)[0]}, batch {shown.cell.batch}"
    return Chart(
        ident, f"Live memory over one step: {where}", "area",
        f"Live bytes over one step of {where}: " + "; ".join(a.name for a in areas),
        areas=tuple(areas[::-1]), along=("begin", "", f"end of the step ({', '.join(took)})"),
    )  # fmt: skip


def data(results: Iterable[CellResult]) -> dict[str, Any]:
    """What the page's script draws from, as plain JSON types."""
    shown = [r for r in results if r.ok and traced(r) is not None]
    room = TENSORS // max(len(shown), 1)
    return {"cells": [_cell(r, room) for r in shown], "standing": list(STANDING)}


def _cell(result: CellResult, room: int) -> dict[str, Any]:
    one = traced(result)
    assert one is not None
    sample, found = one
    workload, batch, name = about(result)
    made: dict[str, Any] = {
        "w": workload, "b": batch, "v": name, "side": result.cell.side, "tint": tint(result),
        "peak": found.requested_peak, "allocator": found.allocator_peak, "replay": found.replay_peak,
        "ok": found.reconciles, "op": found.peak_op, "main": _plain(result),
    }  # fmt: skip
    if not found.reconciles:
        return made
    made["base"] = standing(found, sample)
    made["line"] = [[round(t * 1e6, 1), int(b)] for t, b in line(sample, found)]
    made["kinds"] = found.categories
    if found.live is not None:
        made |= _tensors(found.live, room)
    else:
        made["held"] = [[h.category, h.layer, h.op, h.bytes] for h in found.holders]
    return made


def _tensors(live: Live, room: int) -> dict[str, Any]:
    """The largest tensors of a step that the page has room for, and the words that they need."""
    words: dict[int, int] = {}
    rows = [
        [*row[:3], *(words.setdefault(index, len(words)) for index in row[3:])]
        for row in live.tensors[:room]
    ]
    return {"rows": rows, "words": [live.words[index] for index in words]}


def _plain(result: CellResult) -> bool:
    c = result.cell
    return c.side == "after" and c.execution == "function" and c.precision == "float32"
