"""Puts the report together from the result files of a migration, whichever of them exist."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from migrator.measure import records
from migrator.measure.predict import devices, forecast
from migrator.model import to_jsonable
from migrator.project import planfile
from migrator.project.source import SourceError
from migrator.project.tree import read_named
from migrator.report import (
    cards,
    changes,
    commands,
    equality,
    memory,
    predictions,
    render,
    review,
    sets,
    strategies,
)  # fmt: skip
from migrator.report.model import Report, Section, Statement


class ReportError(ValueError):
    """A result file that cannot be used; the message names it and the field."""


def _json(path: Path, needs: tuple[str, ...]) -> dict[str, Any]:
    try:
        data = json.loads(read_named(path, sets.MOST_BYTES)[0])
    except SourceError as error:
        raise ReportError(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{path}: {error}") from error
    for name in needs:
        if not isinstance(data, dict) or name not in data:
            raise ReportError(f"{path}: field {name!r} is missing")
    return dict(data)


def _text(path: Path) -> str:
    try:
        return read_named(path, sets.MOST_BYTES)[0].decode("utf-8")
    except (SourceError, UnicodeDecodeError) as error:
        raise ReportError(str(error) if isinstance(error, SourceError) else f"{path}: {error}") from error


def _measurement_caveats(measured: records.Measurement) -> list[str]:
    caveats = []
    if not measured.environment.get("gpus"):
        caveats.append(
            "Measured on a CPU: memory figures are the same allocator's byte counts, an "
            "allocator-equivalent estimate and not GPU memory; times say nothing about a GPU."
        )
    if any(not r.ok for r in measured.cells):
        impossible = sum(r.status == "unsupported" for r in measured.cells)
        failed = sum(not r.ok for r in measured.cells) - impossible
        for count, how in ((failed, "did not finish"), (impossible, "are not possible")):
            if count:
                caveats.append(f"{count} of {len(measured.cells)} cells {how}; the tables say why.")
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


def _measured(
    measured: records.Measurement, suffix: str = "", note: str = ""
) -> tuple[list[Section], list[Statement]]:
    """Sections and findings of one measurement, strategies and whole programs included."""
    parts, said = memory.sections(measured, suffix, note)
    sections, findings = list(parts), list(said)
    for found, more in (strategies.section(measured), commands.section(measured)):
        if found is not None:
            sections.append(
                replace(
                    found, id=found.id + suffix, title=found.title + note,
                    charts=tuple(replace(c, id=c.id + suffix) for c in found.charts),
                )
            )  # fmt: skip
            findings += more
    return sections, findings


def build(
    title: str,
    plan: Path | None = None,
    verify: Path | None = None,
    measure: Path | None = None,
    predict: Path | None = None,
    catalogue: Sequence[Path] = (),
    target: int = cards.TARGET,
) -> Report:
    """The report of whatever results there are.

    catalogue: files with further GPUs. target: the batch that strategies are advised for.

    Raises:
      ReportError, records.SchemaError, devices.CatalogueError: a file is damaged; the message names
        file and field.
    """
    sections: list[Section] = []
    findings: list[Statement] = []
    caveats: list[str] = []
    environment: tuple[tuple[str, str], ...] = ()
    raw: dict[str, Any] = {}
    what = todo = measured = forecasts = None
    if plan is not None:
        data = _json(plan, ("files",))
        what, todo, said = _checked(plan, lambda: changes.section(data))
        findings += said
        raw["plan"] = {k: v for k, v in data.items() if k != "files"}
    if verify is not None:
        checked = _json(verify, ("checks", "reference"))
        section, said, notes = _checked(verify, lambda: equality.section(checked))
        sections.append(section)
        findings[:0] = said
        caveats += notes
        raw["verify"] = checked
    if measure is not None:
        measured = records.load(_text(measure), str(measure))
        parts, more = _measured(measured)
        sections += parts
        findings += more
        caveats += _measurement_caveats(measured)
        environment = _environment(measured.environment)
        raw["measure"] = to_jsonable(measured)
    if predict is not None:
        forecasts = forecast.load(_text(predict), str(predict))
        raw["predict"] = to_jsonable(forecasts)
        extra, notes = predictions.section(forecasts)
        sections.append(extra)
        caveats += notes
        environment = environment or _environment(forecasts.environment)
    fits, some = cards.section(measured, devices.load(catalogue), forecasts, target)
    if fits is not None:
        sections.append(fits)
        findings += some
    if todo is not None:
        sections.append(todo)
    if what is not None:
        sections.append(what)
    files = (plan, verify, measure, predict)
    sources = tuple(str(p) for p in files if p is not None)
    return Report(
        title, _now(), tuple(findings), tuple(caveats), tuple(sections), environment, sources, raw
    )


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())


def _checked(path: Path, make: Callable[[], Any]) -> Any:
    """What `make` returns; a field that is missing or of another kind is told with its file."""
    try:
        return make()
    except KeyError as error:
        raise ReportError(f"{path}: field {error.args[0]!r} is missing") from error
    except (TypeError, AttributeError, ValueError) as error:
        raise ReportError(f"{path}: a field is of another kind than expected ({error})") from error


def merge(
    paths: Sequence[Path], title: str, catalogue: Sequence[Path] = (), target: int = cards.TARGET
) -> Report:
    """One page of several result files: over time, machines beside each other, the newest of each.

    paths: measure.json files or folders that hold one, and at most one predict.json.

    Raises:
      as `build`.
    """
    predicted = [p for p in paths if sets.is_forecast(p)]
    found = sets.load([p for p in paths if p not in predicted])
    if not found:
        raise ReportError("give at least one measure.json, or a folder that holds one")
    compared, top = sets.sections(found)
    sections, findings, caveats = list(compared), list(top), []
    newest = sets.newest(found)
    for number, one in enumerate(newest):
        several = len(newest) > 1
        parts, said = _measured(
            one.measured, f"-{number}" if several else "", f" — {one.label}" if several else ""
        )
        sections += parts
        findings += said if not several else said[:2]
        caveats += [
            f"{one.label}: {c}" if several else c for c in _measurement_caveats(one.measured)
        ]
    forecasts = None
    if predicted:
        forecasts = forecast.load(_text(predicted[-1]), str(predicted[-1]))
        extra, notes = predictions.section(forecasts)
        sections.append(extra)
        caveats += notes
    fits, some = cards.section(newest[-1].measured, devices.load(catalogue), forecasts, target)
    if fits is not None:
        sections.append(fits)
        findings += some
    environment: list[tuple[str, str]] = []
    for one in found:
        environment.append(
            (one.label, f"{one.machine}, {one.when or 'time unknown'}, {one.source}")
        )
    environment += _environment(newest[-1].measured.environment)
    raw = {"sets": [{"label": s.label, "source": s.source, "environment": s.measured.environment}
                    for s in found]}  # fmt: skip
    return Report(
        title, _now(), tuple(findings), tuple(dict.fromkeys(caveats)), tuple(sections),
        tuple(environment), tuple(str(p) for p in paths), raw,
    )  # fmt: skip


def _with_review(report: Report, plan: Path, page: Path, root: Path | None) -> Report:
    """The report with a link to the side-by-side page, which is written beside it; a plan from
    elsewhere that is not complete has none."""
    try:
        review.write(planfile.load_kept(plan), page, f"{report.title}, side by side", root)
    except planfile.PlanError:
        return report
    return replace(report, review=page.name)


def run(
    results: Path, out: Path, title: str, catalogue: Sequence[Path] = (),
    target: int = cards.TARGET, root: Path | None = None,
) -> Report:  # fmt: skip
    """Builds the report from `results`/{plan,verify,measure,predict}.json and writes it to `out`.

    root: the tree that it is about, in which nothing is written through a link.

    Raises:
      ReportError: none of them exists, or one is damaged.
      UnsafePath: something is in the way of `out`.
    """
    names = ("plan", "verify", "measure", "predict")
    files = {n: p for n in names if (p := results / f"{n}.json").exists()}
    if not files:
        raise ReportError(
            f"{results}: no plan.json, verify.json, measure.json or predict.json; "
            "run `migrator migrate` first"
        )
    report = build(title, **files, catalogue=catalogue, target=target)
    if "plan" in files and out.suffix in (".html", ".htm"):
        report = _with_review(report, files["plan"], out.with_name(f"{out.stem}-review.html"), root)
    render.write(report, out, root)
    return report
