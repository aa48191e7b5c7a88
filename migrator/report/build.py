"""Puts the report together from the result files of a migration, whichever of them exist."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from migrator.engine import history
from migrator.measure import records
from migrator.measure.predict import devices, forecast
from migrator.model import Plan, to_jsonable
from migrator.project import planfile
from migrator.project.source import SourceError
from migrator.project.tree import read_named
from migrator.report import (
    answers,
    cards,
    changes,
    commands,
    compared,
    equality,
    memory,
    orders,
    predictions,
    render,
    review,
    sets,
    strategies,
    text,
    view,
)  # fmt: skip
from migrator.report.charts import Chart
from migrator.report.model import Answer, Report, Section

RESULTS = ("plan", "verify", "measure", "predict")
ORDER = ("compared", "left", "memory", "programs", "checks", "cells", "strategies", "cards", "predicted",
         "look", "changes")  # fmt: skip


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
        told = str(error) if isinstance(error, SourceError) else f"{path}: {error}"
        raise ReportError(told) from error


@contextmanager
def _reading(*paths: Path | None) -> Iterator[None]:
    """What these files say is used: a field that is missing or of another kind is told with its file."""
    names = ", ".join(str(path) for path in paths if path is not None)
    try:
        yield
    except (ReportError, records.SchemaError, devices.CatalogueError):
        raise
    except KeyError as error:
        raise ReportError(f"{names}: field {error.args[0]!r} is missing") from error
    except (TypeError, AttributeError, ValueError, LookupError, ArithmeticError, RecursionError) as error:
        raise ReportError(f"{names}: a field is of another kind than expected ({error})") from error


def _plan(path: Path, root: Path | None) -> Plan:
    """The plan as the tree at `root` is now, or as it was written where there is none."""
    try:
        return history.load_standing(path, root) if root is not None else planfile.load_kept(path)
    except planfile.PlanError as error:
        raise ReportError(str(error)) from error


def _measurement_caveats(measured: records.Measurement) -> list[str]:
    caveats = []
    if not measured.environment.get("gpus"):
        caveats.append(
            "Measured on a CPU: memory figures are the same allocator's byte counts, an "
            "allocator-equivalent estimate and not GPU memory; times say nothing about a GPU."
        )
    on = {s.extra.get("tensorflow", "") for r in measured.cells if r.cell.side == "before" for s in r.samples}
    if newer := sorted(str(v) for v in on if v and not str(v).startswith("1.")):
        caveats.append(
            f"“Before” is the original in sessions of TensorFlow {', '.join(newer)}, with stand-ins for what "
            "is gone there, on the same allocator and kernels: what TensorFlow 1 itself took is not known."
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
) -> list[Section]:
    """Sections of one measurement, strategies and whole programs included."""
    made = memory.sections(measured, compared.pairs(measured), suffix, note)
    for found in (commands.section(measured), strategies.section(measured)):
        if found is not None:
            made.append(replace(
                found, id=found.id + suffix, title=found.title + note,
                charts=tuple(replace(c, id=c.id + suffix) for c in found.charts),
            ))  # fmt: skip
    return made


def _picture(measured: records.Measurement, pairs: Sequence[compared.Pair]) -> Chart | None:
    """Before and after of what matters most: over the step where it was traced, else as bars."""
    for pair in pairs:
        if compared.program(pair.after):
            continue
        if pair.after.reconciles:
            return view.overlay("picture", pair.before, pair.after)
    main = memory.main_cell(measured, pairs)
    return view.overlay("picture", None, main) if main is not None else None


def _answers(
    verify: dict[str, Any] | None, measured: records.Measurement | None,
    left: Sequence[orders.Order] | None, edits: int, stale: str,
) -> tuple[Answer, ...]:  # fmt: skip
    pairs = compared.pairs(measured) if measured is not None else []
    equal = answers.equal(verify, stale)
    return (
        equal, answers.memory(measured, pairs), answers.speed(measured, pairs),
        answers.left(left, edits, equal),
    )  # fmt: skip


def build(
    title: str,
    plan: Path | None = None,
    verify: Path | None = None,
    measure: Path | None = None,
    predict: Path | None = None,
    catalogue: Sequence[Path] = (),
    target: int = cards.TARGET,
    root: Path | None = None,
    page: Path | None = None,
) -> Report:
    """The report of whatever results there are.

    catalogue: files with further GPUs. target: the batch that strategies are advised for. root: the
    tree that the plan was written to, where there is one: the report is about it as it is now. page:
    where the plan is written side by side, if it is to be.

    Raises:
      ReportError, records.SchemaError, devices.CatalogueError: a file is damaged; the message names
        file and field.
    """
    sections: list[Section] = []
    caveats: list[str] = []
    environment: tuple[tuple[str, str], ...] = ()
    raw: dict[str, Any] = {}
    measured = forecasts = checked = written = None
    picture = None
    if verify is not None:
        with _reading(verify):
            checked = _json(verify, ("checks", "reference"))
            section, notes = equality.section(checked)
        sections.append(section)
        caveats += notes
        raw["verify"] = checked
    if measure is not None:
        with _reading(measure):
            measured = records.load(_text(measure), str(measure))
            sections += _measured(measured)
            picture = _picture(measured, compared.pairs(measured))
            caveats += _measurement_caveats(measured)
            environment = _environment(measured.environment)
            raw["measure"] = to_jsonable(measured)
    if predict is not None:
        with _reading(predict):
            forecasts = forecast.load(_text(predict), str(predict))
            raw["predict"] = to_jsonable(forecasts)
            extra, remarks = predictions.section(forecasts)
            sections.append(extra)
            caveats += remarks
            environment = environment or _environment(forecasts.environment)
    with _reading(measure, predict):
        fits = cards.section(measured, devices.load(catalogue), forecasts, target)
        sections += [fits] if fits is not None else []
    left: tuple[orders.Order, ...] | None = None
    edits = 0
    if plan is not None:
        written = _plan(plan, root)
        edits = sum(len(f.changes) for f in written.changed)
        left = orders.of(written, written=True)
        sections += _left(left)
        sections.append(changes.section(written))
        told = to_jsonable(replace(written, files=()))  # of a large plan they do not fit into memory
        raw["plan"] = {k: v for k, v in told.items() if k != "files"}
    sections.sort(key=lambda s: ORDER.index(s.id))
    stale = _stale(verify, written, root) if verify is not None else ""
    with _reading(verify, measure):
        given = _answers(checked, measured, left, edits, stale)
    if written is not None and page is not None:
        review.write(written, page, f"{title}, side by side", root, decide=False)
    files = (plan, verify, measure, predict)
    sources = tuple(str(p) for p in files if p is not None)
    return Report(
        title, _now(), given, tuple(sections), picture, tuple(caveats), environment, sources, raw,
        review=page.name if written is not None and page is not None else "",
    )


def _left(left: Sequence[orders.Order]) -> list[Section]:
    """What a person must do, and what is only to be looked at."""
    todo = tuple(o for o in left if o.rung in ("manual", "compat", "check"))
    look = tuple(o for o in left if o not in todo)
    made = []
    if todo:
        places = sum(len(o.places) for o in todo)
        gist = f"{text.plural(places, 'place')}, {text.plural(len(todo), 'cause')}"
        made.append(Section("left", "Left for you", gist, orders=todo, open=True))
    if look:
        places = sum(len(o.places) for o in look)
        gist = f"{text.plural(places, 'place')} with a remark"
        made.append(Section("look", "To look at", gist, orders=look))
    return made


def _stale(verify: Path, plan: Plan | None, root: Path | None) -> str:
    """What changed in the tree after it was compared, "" for nothing that is known."""
    if plan is None or root is None:
        return ""
    ran = verify.stat().st_mtime
    later = []
    for result in plan.files:
        try:
            if result.path.endswith(".py") and (root / result.path).stat().st_mtime > ran:
                later.append(result.path)
        except OSError:
            continue
    if not later:
        return ""
    more = f" and {len(later) - 1} more were" if len(later) > 1 else " was"
    return f"{later[0]}{more} changed"


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())


def merge(
    paths: Sequence[Path], title: str, catalogue: Sequence[Path] = (), target: int = cards.TARGET
) -> Report:
    """One page of several result files: over time, machines beside each other, the newest of each.

    paths: measure.json files or folders that hold one, and at most one predict.json.

    Raises:
      as `build`.
    """
    with _reading(*paths):
        predicted = [p for p in paths if sets.is_forecast(p)]
        found = sets.load([p for p in paths if p not in predicted])
        if not found:
            raise ReportError("give at least one measure.json, or a folder that holds one")
        sections = sets.sections(found)
        caveats: list[str] = []
        newest = sets.newest(found)
        for number, one in enumerate(newest):
            several = len(newest) > 1
            sections += _measured(
                one.measured, f"-{number}" if several else "", f" — {one.label}" if several else ""
            )
            caveats += [
                f"{one.label}: {c}" if several else c for c in _measurement_caveats(one.measured)
            ]
        forecasts = None
        if predicted:
            forecasts = forecast.load(_text(predicted[-1]), str(predicted[-1]))
            extra, notes = predictions.section(forecasts)
            sections.append(extra)
            caveats += notes
        last = newest[-1].measured
        fits = cards.section(last, devices.load(catalogue), forecasts, target)
        sections += [fits] if fits is not None else []
        environment: list[tuple[str, str]] = []
        for one in found:
            environment.append(
                (one.label, f"{one.machine}, {one.when or 'time unknown'}, {one.source}")
            )
        environment += _environment(last.environment)
        raw = {"sets": [{"label": s.label, "source": s.source, "environment": s.measured.environment}
                        for s in found]}  # fmt: skip
        return Report(
            title, _now(), _answers(None, last, None, 0, ""), tuple(sections),
            _picture(last, compared.pairs(last)), tuple(dict.fromkeys(caveats)), tuple(environment),
            tuple(str(p) for p in paths), raw,
        )  # fmt: skip


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
    files = {n: p for n in RESULTS if (p := results / f"{n}.json").exists()}
    if not files:
        raise ReportError(
            f"{results}: no plan.json, verify.json, measure.json or predict.json; "
            "run `migrator migrate` first"
        )
    page = out.with_name(f"{out.stem}-review.html") if out.suffix in (".html", ".htm") else None
    report = build(title, **files, catalogue=catalogue, target=target, root=root, page=page)
    with _reading(*files.values()):
        render.write(report, out, root)
    return report
