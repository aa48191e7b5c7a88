"""Writes docs/memory-questions.md: what people ask about memory, answered from saved results.

    python samples/make_memory_answers.py

Every number comes from samples/reports; a question whose results are not there is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from migrator.measure import records
from migrator.measure.predict import devices, forecast
from migrator.measure.records import CellResult, Measurement
from migrator.report import cards, text

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "samples" / "reports"
PAGE = ROOT / "docs" / "memory-questions.md"
LAB = "samples/memory_lab"


def _measured(name: str) -> Measurement:
    path = RESULTS / name / "measure.json"
    return records.load(path.read_text(encoding="utf-8"), str(path))


def _predicted(name: str) -> forecast.Forecasts:
    path = RESULTS / name / "predict.json"
    return forecast.load(path.read_text(encoding="utf-8"), str(path))


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [
        f"| {' | '.join(head)} |", "|" + " --- |" * len(head),
        *(f"| {' | '.join(row)} |" for row in rows), "",
    ]  # fmt: skip


def _size(result: CellResult | None) -> str:
    return text.size(result.requested_peak if result else None)


def ssd() -> list[str]:
    """Before and after of the migrated sample."""
    cells = {
        (r.cell.side, r.cell.execution, r.cell.precision): r
        for r in _measured("ssd_mobilenet_v1").cells
        if r.ok and r.cell.mode == "training" and r.cell.batch == 8 and not r.cell.strategy
    }  # fmt: skip
    before = cells[("before", "graph_session", "float32")]
    rows = [
        [r.cell.title, _size(r), text.ratio(r.requested_peak, before.requested_peak),
         text.duration(r.step_seconds), text.ratio(r.step_seconds, before.step_seconds)]
        for r in cells.values()
    ]  # fmt: skip
    return [
        "## Why does my SSD MobileNet v1 take more GPU memory after moving to TF2?", "",
        "It need not: as a `tf.function` the migrated program keeps the graph's peak. What costs is "
        "running it eagerly, a policy that upcasts, or an allocator that takes the whole card "
        "(`configure_gpus` sets growth).", "",
        f"{before.cell.workload}, batch 8 (allocator-equivalent, on a CPU):", "",
        *_table(["variant", "requested peak", "of before", "step", "of before"], rows),
        "    migrator measure samples/ssd_mobilenet_v1        # see `make demo`", "",
    ]  # fmt: skip


def small_image() -> list[str]:
    """The predicted parts of the peak over the batch."""
    found = [f for f in _predicted("small_image").forecasts if f.status == "ok"]
    training = next(f for f in found if f.mode == "training" and f.precision == "float32")
    rows = []
    for f in found:
        for p in f.points:
            share = text.percent(p.step, f.peak(p))
            rows.append([f"{f.mode}, {f.precision}", str(p.batch), text.size(f.weights),
                         text.size(f.slots) if f.slots else "–", text.size(p.inputs),
                         text.size(p.step), text.size(f.peak(p)), share])  # fmt: skip
    line = devices.line(training.peaks)
    return [
        "## Why does a 15 MB model need 1 to 4 GB for an image of 3 kB?", "",
        f"Because neither the {text.size(training.weights)} of weights nor the image count, but what "
        f"every layer leaves behind for its gradient: {text.size(line.per_item)} an image here. The "
        f"peak passes 1 GiB at a batch of {line.largest(2**30) + 1} and 4 GiB at "
        f"{line.largest(2**32) + 1}; the driver's share (about half a GiB) comes on top, and without "
        "memory growth TensorFlow takes the whole card whatever it needs.", "",
        *_table(["step", "batch", "weights", "slots", "images", "live tensors", "peak", "tensors"],
                rows),
        f"    migrator measure predict {LAB} --workloads {LAB}/small_image.toml --batches 1,32,256", "",
    ]  # fmt: skip


def yolo() -> list[str]:
    """Tiny and deep beside each other, predicted for a GPU and measured on a CPU."""
    found = [f for f in _predicted("tiny_and_deep_yolo").forecasts if f.status == "ok"]
    measured = {
        (r.cell.workload, r.cell.batch): r for r in _measured("tiny_and_deep_yolo").cells if r.ok
    }
    rows = [
        [f.workload, str(p.batch), text.size(f.weights), text.size(f.peak(p)),
         text.size(p.allocator), _size(measured.get((f.workload, p.batch)))]
        for f in found if f.precision == "float32" for p in f.points if p.batch >= 16
    ]  # fmt: skip
    large = [
        [f.workload, str(p.batch), text.size(f.weights), text.size(f.peak(p))]
        for f in _predicted("detectors_across_gpus").forecasts
        if f.status == "ok" and f.precision == "float32" for p in f.points if p.batch >= 16
    ]  # fmt: skip
    return [
        "## How do tiny and full YOLOv4 compare at batch 16 and 32?", "",
        "Images of 128×128 in float32: the peak predicted for a GPU, there in chunks of its allocator, and "
        "measured on a CPU (–: not measured), whose kernels take scratch of their own. The deeper network "
        "has the backbone of YOLOv4:", "",
        *_table(["network", "batch", "weights", "predicted", "its allocator", "measured"], rows),
        "At 416×416, predicted only:", "",
        *_table(["network", "batch", "weights", "peak"], large),
        f"    migrator measure predict {LAB} --workloads {LAB}/yolo.toml --batches 1,16,32", "",
    ]  # fmt: skip


def across() -> list[str]:
    """Largest batches over the catalogue."""
    found = cards.loads(None, _predicted("detectors_across_gpus"))
    batches, first = cards.tables(found, devices.load(), cards.TARGET)
    assert first is not None
    return [
        "## Which batch fits my 4, 8, 16 or 24 GB card, and the same code on another GPU?", "",
        "The detectors at 416×416; nothing was run on these cards.", "",
        *_table(list(batches.columns), [list(r.cells) for r in batches.lines]),
        "![The section of the report](images/report-cards.png)", "", f"{first.title}:", "",
        *_table(list(first.columns), [list(r.cells) for r in first.lines]),
        f"    migrator measure predict {LAB} --workloads {LAB}/detectors.toml --batches 1,16", "",
        "On the card itself, `migrator measure fit` finds the real limit by running.", "",
    ]  # fmt: skip


def initialisation() -> list[str]:
    """The phases of each model's process."""
    rows = []
    for r in _measured("initialisation").cells:
        if not r.ok or r.cell.batch != 1:
            continue
        phases = {p.name: p for p in r.samples[0].phases}
        for name in ("import", "device", "initialisation", "slots", "first step", "steady"):
            p = phases.get(name)
            if p is not None:
                rows.append([r.cell.workload, name, text.size(p.in_use), text.size(p.peak),
                             text.size(p.rss), text.duration(p.seconds)])  # fmt: skip
    return [
        "## What does a model need just to initialise?", "",
        "In use and peak are the allocator's at the end of a phase, batch 1, training; resident is the "
        "whole process with TensorFlow's libraries (on a GPU, the CUDA context comes on top).", "",
        *_table(["model", "phase", "in use", "peak", "resident", "time"], rows),
        "    python samples/make_memory_lab.py measure initialisation", "",
    ]  # fmt: skip


def main() -> None:
    lines = [
        "# What people ask about memory", "",
        "Generated by `python samples/make_memory_answers.py` from the results in `samples/reports`; "
        "`python samples/make_memory_lab.py report` makes the pages with charts. How far predictions "
        "are off: [predictor_error.md](predictor_error.md); how things are measured: "
        "[measuring.md](measuring.md).", "",
    ]  # fmt: skip
    questions: tuple[Callable[[], list[str]], ...] = (
        ssd, small_image, yolo, across, initialisation,
    )  # fmt: skip
    for question in questions:
        try:
            lines += question()
        except FileNotFoundError as error:
            print(f"left out: {error.filename}")
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
