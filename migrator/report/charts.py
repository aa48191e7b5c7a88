"""Charts as records, and as the little SVG that they need: it stretches, words around it do not.

Rectangles are placed in per cent and paths in a box that is stretched to the width that there is, so
that one drawing serves a wide page, a phone and paper, without scripts. Colours are classes of the
style sheet, which knows light and dark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from migrator.report import text

WIDE, HIGH = 1000, 300  # of the box that paths are drawn in
SERIES = tuple(f"s{n}" for n in range(1, 9))  # for what has no colour of its own


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar or part of a stack. colour: a class of the style sheet; shown: the number as text.

    about: the (workload, batch, variant) that a selector shows it for.
    """

    group: str
    series: str
    value: float
    shown: str
    colour: str = "other"
    about: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class Area:
    """A line over time, (seconds, bytes); filled below or not."""

    name: str
    colour: str
    points: tuple[tuple[float, float], ...]
    filled: bool = True
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """kind: "bars", "stack" (bars of one group and series in a row) or "area".

    along: what stands below the beginning, middle and end of an area chart; by default the time.
    """

    id: str
    title: str
    kind: str
    alt: str
    bars: tuple[Bar, ...] = ()
    areas: tuple[Area, ...] = ()
    note: str = ""
    along: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a bar chart: its label, the parts (offset and width in per cent), and its number."""

    label: str
    parts: tuple[tuple[float, float, Bar], ...]
    shown: str
    about: tuple[str, str, str] | None
    heading: str = ""


def colour(name: str) -> str:
    """The class that colours a kind of memory, a way of running or a precision."""
    return "k-" + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def lines(chart: Chart) -> list[Line]:
    """The lines of a bar chart, scaled to the largest."""
    if chart.kind == "stack":
        totals: dict[tuple[str, tuple[str, str, str] | None], list[Bar]] = {}
        for bar in chart.bars:
            totals.setdefault((bar.group, bar.about), []).append(bar)
        top = max((sum(b.value for b in bars) for bars in totals.values()), default=0.0) or 1.0
        made = []
        for (group, about), bars in totals.items():
            at, parts = 0.0, []
            for bar in bars:
                width = 100 * bar.value / top
                parts.append((at, width, bar))
                at += width
            made.append(Line(group, tuple(parts), text.size(sum(b.value for b in bars)), about))
        return made
    top = max((b.value for b in chart.bars), default=0.0) or 1.0
    found, last = [], ""
    for bar in chart.bars:
        heading = bar.group if bar.group != last else ""
        last = bar.group
        found.append(Line(
            bar.series, ((0.0, max(100 * bar.value / top, 0.2), bar),), bar.shown, bar.about, heading,
        ))  # fmt: skip
    return found


def legend(chart: Chart) -> list[tuple[str, str]]:
    """(name, colour) of what the parts of a chart are, each once."""
    if chart.kind == "area":
        return [(a.name, a.colour) for a in chart.areas]
    return list(dict.fromkeys((b.series, b.colour) for b in chart.bars))


def _scale(areas: Sequence[Area]) -> tuple[float, float]:
    last = max((x for a in areas for x, _ in a.points), default=0.0) or 1.0
    top = max((y for a in areas for _, y in a.points), default=0.0) or 1.0
    return last, top * 1.04


def paths(chart: Chart) -> list[tuple[Area, str]]:
    """Each area with the path that draws it, as steps: memory jumps, it does not slope."""
    last, top = _scale(chart.areas)
    made = []
    for area in chart.areas:
        steps: list[str] = []
        for x, y in area.points:
            at, up = WIDE * x / last, HIGH * (1 - max(y, 0.0) / top)
            steps.append(f"H{at:.1f}V{up:.1f}" if steps else f"M{at:.1f} {up:.1f}")
        if area.filled and area.points:
            end = WIDE * area.points[-1][0] / last
            start = WIDE * area.points[0][0] / last
            steps.append(f"H{end:.1f}V{HIGH}H{start:.1f}Z")
        made.append((area, "".join(steps)))
    return made


def ticks(chart: Chart) -> tuple[list[str], list[str]]:
    """What stands beside an area chart, from the bottom up, and below it, from left to right."""
    last, top = _scale(chart.areas)
    up = [text.size(s * top / 1.04) for s in (0.0, 0.5, 1.0)]
    along = list(chart.along) or [text.duration(s * last) if s else "0" for s in (0.0, 0.5, 1.0)]
    return up, along
