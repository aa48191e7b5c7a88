"""Charts of a measurement: each one as data for the interactive page and as a static SVG.

The static SVG is what prints and what a browser without scripts shows; both are drawn from the same
`Chart` record, so they cannot differ.
"""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass
from typing import Any

from migrator.report import text

# Okabe-Ito: told apart with every common kind of colour blindness
COLOURS = {
    "before": "#5b6470", "eager": "#d55e00", "function": "#0072b2", "xla": "#009e73",
    "mixed_float16": "#cc79a7", "mixed_bfloat16": "#8f5fbf",
    "weights": "#0072b2", "optimizer slots": "#56b4e9", "inputs": "#009e73",
    "activations": "#e69f00", "gradients": "#d55e00", "workspace": "#cc79a7",
    "update temporaries": "#8f5fbf", "freed before the peak": "#999999", "kept and rounded": "#c3c9d1",
}  # fmt: skip
OTHER = "#777777"
# for series that have no colour of their own
SERIES = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b6470", "#8f5fbf",
)  # fmt: skip


# Groups that stand beside each other, and characters of their labels, that a phone's width has room for
GROUPS, LABEL = 6, 14
STANDING = 8  # bars beside each other that have room for their labels
WIDE_RANGE = 100  # of counts, from which a logarithmic axis shows the small ones, too


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its series gives the colour, `shown` the number as text beside it."""

    group: str
    series: str
    value: float
    shown: str
    colour: str = OTHER


@dataclass(frozen=True, slots=True)
class Chart:
    """kind: "bars" (grouped), "stack" (stacked by series), "line" or "treemap".

    unit: "bytes", "seconds" or "count". points: (x, y) of a line. parents: child -> parent of a treemap.
    """

    id: str
    title: str
    kind: str
    unit: str
    alt: str
    bars: tuple[Bar, ...] = ()
    points: tuple[tuple[float, float], ...] = ()
    tree: tuple[tuple[str, str, str, float], ...] = ()
    note: str = ""


def _format(unit: str, value: float) -> str:
    if unit == "count":
        return f"{value:,.0f}"
    return text.size(value) if unit == "bytes" else text.duration(value)


def figure(chart: Chart) -> dict[str, Any]:
    """The chart as a plotly figure (plain JSON types)."""
    layout: dict[str, Any] = {
        "margin": {"l": 70, "r": 20, "t": 10, "b": 50}, "height": 340,
        "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, sans-serif", "size": 13},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        "hoverlabel": {"namelength": -1},
    }  # fmt: skip
    if chart.kind == "treemap":
        ids, labels, parents, values = zip(*chart.tree, strict=True)
        data = [{
            "type": "treemap", "ids": ids, "labels": labels, "parents": parents, "values": values,
            "branchvalues": "total", "text": ["<br>".join(label.split("/")[-2:]) for label in labels],
            "texttemplate": "%{text}<br>%{percentRoot}",
            "customdata": [text.size(v) for v in values],
            "hovertemplate": "%{label}<br>%{customdata}<extra></extra>",
            "marker": {
                "colors": [_tree_colour(i) for i in ids], "line": {"width": 1, "color": "#ffffff"},
            },
            "tiling": {"pad": 1},
        }]  # fmt: skip
        layout.update(
            margin={"l": 4, "r": 4, "t": 4, "b": 4}, height=420,
            uniformtext={"minsize": 10, "mode": "hide"},  # smaller ones cannot be read
        )  # fmt: skip
        return {"data": data, "layout": layout}
    scale, suffix = _axis(chart)
    layout["yaxis"] = {"title": {"text": suffix}, "rangemode": "tozero", "gridcolor": "#e3e6ea"}
    if chart.kind == "line":
        data = [{
            "type": "scatter", "mode": "lines", "fill": "tozeroy", "line": {"color": "#0072b2"},
            "x": [x * 1e3 for x, _ in chart.points], "y": [y / scale for _, y in chart.points],
            "text": [_format(chart.unit, y) for _, y in chart.points],
            "hovertemplate": "%{x:.2f} ms: %{text}<extra></extra>",
        }]  # fmt: skip
        layout["xaxis"] = {"title": {"text": "milliseconds into the step"}}
        return {"data": data, "layout": layout}
    return _bars_figure(chart, layout, scale)


def _bars_figure(chart: Chart, layout: dict[str, Any], scale: float) -> dict[str, Any]:
    """Bars, which lie where their labels would have to be turned to stand beside each other."""
    groups = list(dict.fromkeys(b.group for b in chart.bars))
    series = list(dict.fromkeys(b.series for b in chart.bars))
    stacked = chart.kind == "stack"
    lying = len(groups) > GROUPS or any(len(g) > LABEL for g in groups)
    lying = lying or (not stacked and len(chart.bars) > STANDING)
    along, across = ("y", "x") if lying else ("x", "y")
    data = []
    for name in series:
        mine = [b for b in chart.bars if b.series == name]
        data.append({
            "type": "bar", "name": name, along: ["<br>".join(_lines(b.group)) for b in mine],
            across: [b.value / scale for b in mine], "text": [b.shown for b in mine],
            "orientation": "h" if lying else "v", "marker": {"color": mine[0].colour},
            "textposition": "inside" if stacked else "auto", "textangle": 0,
            "hovertemplate": "%{" + along + "}, " + html.escape(name) + ": %{text}<extra></extra>",
        })  # fmt: skip
    layout["barmode"] = "stack" if stacked else "group"
    layout["legend"] = {**layout["legend"], "traceorder": "normal"}  # not from the last to the first
    layout["uniformtext"] = {"minsize": 10, "mode": "hide"}  # smaller ones cannot be read
    values = layout.pop("yaxis")
    sizes = [b.value for b in chart.bars if b.value > 0]
    if chart.unit == "count" and sizes and max(sizes) >= WIDE_RANGE * min(sizes):
        values |= {"type": "log", "dtick": 1, "title": {"text": "items, logarithmic"}}
    layout[f"{along}axis"] = {"type": "category", "automargin": True}
    layout[f"{across}axis"] = values
    if lying:
        layout[f"{along}axis"]["autorange"] = "reversed"
        lines = max(len(_lines(g)) for g in groups)
        rows = len(groups) * max(0.9 * lines, 1.6 if stacked else 0.8 + len(series))
        # a narrow page has one line of the legend for each series
        layout["height"] = int(120 + 20 * len(series) + 20 * rows)
    return {"data": data, "layout": layout}


def _lines(label: str) -> list[str]:
    """The label in lines of about LABEL characters, with markup as text."""
    return [html.escape(line) for line in textwrap.wrap(label, LABEL + 4)] or [""]


def _tree_colour(ident: str) -> str:
    return COLOURS.get(ident.split("|")[0], OTHER) if ident else "#ffffff"


def _largest(chart: Chart) -> float:
    if chart.kind == "line":
        return max((y for _, y in chart.points), default=0.0)
    if chart.kind == "stack":
        totals: dict[str, float] = {}
        for b in chart.bars:
            totals[b.group] = totals.get(b.group, 0.0) + b.value
        return max(totals.values(), default=0.0)
    return max((b.value for b in chart.bars), default=0.0)


def _axis(chart: Chart) -> tuple[float, str]:
    """(divisor, unit name) for a y axis that fits the largest value."""
    top = _largest(chart)
    if chart.unit == "bytes":
        for factor, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
            if top >= factor:
                return float(factor), name
        return 1.0, "bytes"
    if chart.unit == "count":
        return 1.0, "items"
    return (1.0, "seconds") if top >= 1 else (1e-3, "milliseconds")


def svg(chart: Chart, width: int = 760) -> str:
    """The chart as static SVG: horizontal bars, a filled line, or nested shares of a treemap."""
    if chart.kind == "line":
        return _line_svg(chart, width)
    if chart.kind == "treemap":
        leaves = sorted((t for t in chart.tree if t[2]), key=lambda t: -t[3])[:14]
        bars = tuple(
            Bar(label, ident.split("|")[0], value, text.size(value), _tree_colour(ident))
            for ident, label, _, value in leaves
        )
        return _bars_svg(chart, bars, width)
    if chart.kind == "stack":
        return _stack_svg(chart, width)
    return _bars_svg(chart, chart.bars, width)


def _open(chart: Chart, width: int, height: float) -> list[str]:
    return [
        f'<svg role="img" viewBox="0 0 {width} {height:.0f}" xmlns="http://www.w3.org/2000/svg" '
        f'aria-label="{html.escape(chart.alt, quote=True)}">',
        f"<title>{html.escape(chart.alt)}</title>",
    ]


def _text(x: float, y: float, content: str, anchor: str = "start", cls: str = "t") -> str:
    return (
        f'<text class="{cls}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{html.escape(content)}</text>"
    )


def _shorten(label: str, length: int) -> str:
    return label if len(label) <= length else "…" + label[-(length - 1) :]


def _bars_svg(chart: Chart, bars: tuple[Bar, ...], width: int) -> str:
    rows: list[str] = []
    y, left, right = 6.0, 270.0, 90.0
    top = max((b.value for b in bars), default=0.0) or 1.0
    group = None
    for bar in bars:
        if bar.group != group and chart.kind != "treemap":
            group = bar.group
            rows.append(_text(0, y + 13, _shorten(bar.group, 60), cls="g"))
            y += 20
        label = bar.group if chart.kind == "treemap" else bar.series
        length = max(1.0, (width - left - right) * bar.value / top)
        rows.append(_text(left - 8, y + 12, _shorten(label, 42), "end"))
        rows.append(
            f'<rect x="{left}" y="{y:.0f}" width="{length:.1f}" height="15" rx="2" '
            f'fill="{bar.colour}"/>'
        )
        rows.append(_text(left + length + 6, y + 12, bar.shown))
        y += 20
    return "".join([*_open(chart, width, y + 4), *rows, "</svg>"])


def _stack_svg(chart: Chart, width: int) -> str:
    rows: list[str] = []
    y, left, right = 6.0, 270.0, 90.0
    top = _largest(chart) or 1.0
    for group in dict.fromkeys(b.group for b in chart.bars):
        mine = [b for b in chart.bars if b.group == group]
        x, total = left, sum(b.value for b in mine)
        rows.append(_text(left - 8, y + 15, _shorten(group, 42), "end"))
        for bar in mine:
            length = (width - left - right) * bar.value / top
            rows.append(
                f'<rect x="{x:.1f}" y="{y:.0f}" width="{max(length, 0.0):.1f}" height="20" '
                f'fill="{bar.colour}"><title>{html.escape(bar.series)} {bar.shown}</title></rect>'
            )
            x += length
        rows.append(_text(x + 6, y + 15, _format(chart.unit, total)))
        y += 27
    x = left
    for name, colour in dict.fromkeys((b.series, b.colour) for b in chart.bars):
        if x > width - 130:
            x, y = left, y + 18
        rows.append(f'<rect x="{x:.0f}" y="{y + 4:.0f}" width="11" height="11" fill="{colour}"/>')
        rows.append(_text(x + 15, y + 14, name))
        x += 34 + 7.2 * len(name)
    return "".join([*_open(chart, width, y + 24), *rows, "</svg>"])


def _line_svg(chart: Chart, width: int, height: int = 240) -> str:
    left, bottom = 80.0, 30.0
    top = _largest(chart) or 1.0
    last = max((x for x, _ in chart.points), default=0.0) or 1.0
    plot_w, plot_h = width - left - 10, height - bottom - 10

    def place(x: float, y: float) -> str:
        return f"{left + plot_w * x / last:.1f},{10 + plot_h * (1 - max(y, 0.0) / top):.1f}"

    path = " ".join(place(x, y) for x, y in chart.points)
    rows = [
        f'<polygon points="{left},{10 + plot_h} {path} {left + plot_w},{10 + plot_h}" '
        'fill="#0072b2" fill-opacity="0.25" stroke="#0072b2"/>'
    ]
    for share in (0.0, 0.5, 1.0):
        y = 10 + plot_h * (1 - share)
        rows.append(f'<line class="grid" x1="{left}" x2="{width - 10}" y1="{y:.1f}" y2="{y:.1f}"/>')
        rows.append(_text(left - 6, y + 4, _format(chart.unit, top * share), "end"))
    rows.append(_text(left, height - 8, "0"))
    rows.append(_text(width - 10, height - 8, text.duration(last), "end"))
    return "".join([*_open(chart, width, height), *rows, "</svg>"])
