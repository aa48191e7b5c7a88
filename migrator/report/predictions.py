"""The section on peaks that were predicted from traced graphs, with nothing run."""

from __future__ import annotations

import collections

from migrator.measure.predict.forecast import Forecast, Forecasts
from migrator.report import text
from migrator.report.charts import Bar, Chart, colour
from migrator.report.model import Section, Statement, Table


def _rows(f: Forecast) -> list[tuple[str, ...]]:
    if f.status != "ok":
        last = (f.detail.splitlines() or ["no output"])[-1][-160:]
        return [(f.workload, f.mode, f.precision, "", text.status(f.status), "", "", "", "", last)]
    rows: list[tuple[str, ...]] = []
    for p in f.points:
        base = f.weights + f.slots + p.inputs
        # what XLA holds while a cluster runs is its own choice: there is no upper end then
        above = "open" if p.unknown else text.size(base + p.high)
        between = f"{text.size(base + p.low)} … {above}"
        note = (
            f"{text.plural(p.unknown, 'tensor')} of unknown size: a lower bound"
            if p.unknown
            else ""
        )
        rows.append((
            f.workload, f.mode, f.precision, str(p.batch), text.size(f.peak(p)), between,
            text.size(p.allocator) if p.allocator else "–", text.size(f.weights),
            text.size(f.slots) if f.slots else "–", note,
        ))  # fmt: skip
    return rows


def _stack(found: list[Forecast]) -> Chart | None:
    """What fills the predicted peak of the largest batch of each float32 forecast."""
    bars: list[Bar] = []
    for f in found:
        if f.status != "ok" or not f.points or f.precision != "float32":
            continue
        last = f.points[-1]
        kinds: collections.Counter[str] = collections.Counter()
        for h in f.holders:
            kinds[h.category] += h.bytes
        rest = max(last.step - sum(kinds.values()), 0)
        parts = {
            "weights": f.weights, "optimizer slots": f.slots, "inputs": last.inputs,
            **dict(kinds.most_common()), "smaller tensors": rest,
        }  # fmt: skip
        group = f"{f.workload}, batch {last.batch}"
        bars += [
            Bar(group, kind, float(size), text.size(size), colour(kind))
            for kind, size in parts.items() if size
        ]  # fmt: skip
    if not bars:
        return None
    return Chart(
        "predicted-kinds", "What fills the predicted peak, float32", "stack",
        "Kinds of memory at the predicted peak of each workload", tuple(bars),
    )  # fmt: skip


def section(forecasts: Forecasts) -> tuple[Section, list[str]]:
    """(section, caveats)."""
    found = list(forecasts.forecasts)
    said = [
        Statement("bad", f"{f.workload}, {f.precision}: {text.status(f.status)} "
                  f"({(f.detail.splitlines() or ['no output'])[-1][:160]})")
        for f in found if f.status != "ok"
    ]  # fmt: skip
    said += [
        Statement("open", f"{f.workload}, {f.mode}, {f.precision}: the peak is a lower bound. "
                  f"{text.plural(max(p.unknown for p in f.points), 'tensor')} belong to clusters that "
                  "XLA compiles, or have sizes that only a run tells.")
        for f in found if any(p.unknown for p in f.points)
    ]  # fmt: skip
    table = Table(
        "Predicted peaks",
        ("workload", "mode", "precision", "batch", "peak", "between", "allocator",
         "weights", "slots", "note"),
        tuple(r for f in found for r in _rows(f)), frozenset({3, 4, 5, 6, 7, 8}),
        "Requested bytes of a GPU's step: weights, optimizer slots, inputs and live tensors at the "
        "fullest moment, in the order of the executor. Allocator: the same in whole chunks of "
        "TensorFlow's allocator, as a card would have to hold them. How far such predictions are off "
        "is measured in docs/predictor_error.md.",
    ).told()  # fmt: skip
    chart = _stack(found)
    made = Section(
        "predicted", "Predicted without running", f"{text.plural(len(found), 'forecast')}", "",
        tuple(said), (chart,) if chart else (), (table,),
    )  # fmt: skip
    caveats = [
        "Predicted figures count tensors; cuDNN's workspaces and what the driver takes come on top."
    ]
    return made, caveats
