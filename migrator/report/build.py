"""Puts the report together from the result files of a migration, whichever of them exist."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from migrator.measure import records
from migrator.measure.predict import devices
from migrator.model import to_jsonable
from migrator.project import planfile
from migrator.report import cards, changes, equality, memory, render, review
from migrator.report.model import Report, Section, Statement


class ReportError(ValueError):
    """A result file that cannot be used; the message names it and the field."""


def _json(path: Path, needs: tuple[str, ...]) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: {error}") from error
    for name in needs:
        if not isinstance(data, dict) or name not in data:
            raise ReportError(f"{path}: field {name!r} is missing")
    return dict(data)


def _measurement_caveats(measured: records.Measurement) -> list[str]:
    caveats = []
    if not measured.environment.get("gpus"):
        caveats.append(
            "Measured on a CPU: memory figures are the same allocator's byte counts, an "
            "allocator-equivalent estimate and not GPU memory; times say nothing about a GPU."
        )
    if any(not r.ok for r in measured.cells):
        failed = sum(not r.ok for r in measured.cells)
        caveats.append(f"{failed} of {len(measured.cells)} cells did not finish; see the tables.")
    if any(len(r.samples) < 3 for r in measured.cells if r.ok):
        caveats.append("Fewer than three processes a cell: step times carry the machine's noise.")
    return caveats


def _environment(raw: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    packages = ", ".join(f"{k} {v}" for k, v in raw.get("packages", {}).items())
    gpus = ", ".join(g["name"] for g in raw.get("gpus", [])) or "none"
    rows = {
        "measured": raw.get("when"), "platform": raw.get("platform"), "processor": raw.get("cpu"),
        "cores": raw.get("cores"), "GPUs": gpus, "Python": raw.get("python"), "packages": packages,
    }  # fmt: skip
    return tuple((k, str(v)) for k, v in rows.items() if v)


def build(
    title: str,
    plan: Path | None = None,
    verify: Path | None = None,
    measure: Path | None = None,
) -> Report:
    """The report of whatever results there are.

    Raises:
      ReportError, records.SchemaError: a file is damaged; the message names file and field.
    """
    sections: list[Section] = []
    findings: list[Statement] = []
    caveats: list[str] = []
    environment: tuple[tuple[str, str], ...] = ()
    raw: dict[str, Any] = {}
    what = todo = None
    if plan is not None:
        data = _json(plan, ("files",))
        what, todo, said = changes.section(data)
        findings += said
        raw["plan"] = {k: v for k, v in data.items() if k != "files"}
    if verify is not None:
        data = _json(verify, ("checks", "reference"))
        section, said, notes = equality.section(data)
        sections.append(section)
        findings[:0] = said
        caveats += notes
        raw["verify"] = data
    if measure is not None:
        measured = records.load(measure.read_text(encoding="utf-8"), str(measure))
        parts, said = memory.sections(measured)
        sections += parts
        fits = cards.section(measured, devices.load())
        if fits is not None:
            sections.append(fits)
        findings += said
        caveats += _measurement_caveats(measured)
        environment = _environment(measured.environment)
        raw["measure"] = to_jsonable(measured)
    if todo is not None:
        sections.append(todo)
    if what is not None:
        sections.append(what)
    sources = tuple(str(p) for p in (plan, verify, measure) if p is not None)
    made = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    return Report(
        title, made, tuple(findings), tuple(caveats), tuple(sections), environment, sources, raw
    )


def _with_review(report: Report, plan: Path, page: Path) -> Report:
    """The report with a link to the side-by-side page, which is written beside it; a plan from
    elsewhere that is not complete has none."""
    try:
        review.write(planfile.load_kept(plan), page, f"{report.title}, side by side")
    except planfile.PlanError:
        return report
    return replace(report, review=page.name)


def run(results: Path, out: Path, title: str) -> Report:
    """Builds the report from `results`/{plan,verify,measure}.json and writes it to `out`.

    Raises:
      ReportError: none of the three exists, or one is damaged.
    """
    files = {n: p for n in ("plan", "verify", "measure") if (p := results / f"{n}.json").exists()}
    if not files:
        raise ReportError(
            f"{results}: no plan.json, verify.json or measure.json; run `migrator migrate` first"
        )
    report = build(title, **files)
    if "plan" in files and out.suffix in (".html", ".htm"):
        report = _with_review(report, files["plan"], out.with_name(f"{out.stem}-review.html"))
    render.write(report, out)
    return report
