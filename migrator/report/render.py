"""Renders a Report as one self-contained HTML page, as Markdown, or as JSON."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from pathlib import Path
from typing import Any

import jinja2
import markupsafe

from migrator.model import to_jsonable
from migrator.report import charts
from migrator.report.model import Report
from migrator.resources import templates_dir


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir() / "report"),
        autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["svg"] = lambda chart: markupsafe.Markup(charts.svg(chart))
    return environment


def _asset(name: str) -> str:
    return (templates_dir() / "report" / name).read_text(encoding="utf-8")


def _script_safe(value: Any) -> str:
    """JSON that can stand inside a <script> element whatever strings it holds."""
    dumped = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return dumped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def html(report: Report) -> str:
    """The page: no request leaves it, and no script runs that is not in its policy by hash."""
    figures = {c.id: charts.figure(c) for s in report.sections for c in s.charts}
    scripts = [_asset("app.js")]
    if figures:
        from plotly.offline import get_plotlyjs  # 4.5 MB of text: only where there are charts

        scripts.insert(0, get_plotlyjs())
    policy = (
        "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; "
        f"script-src {' '.join(_hash(s) for s in scripts)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            report=report,
            policy=policy,
            style=markupsafe.Markup(_asset("style.css")),
            scripts=[markupsafe.Markup(s) for s in scripts],
            figures=markupsafe.Markup(_script_safe(figures)),
        )
    )


def markdown(report: Report) -> str:
    """The same report for a pull request, without charts and diffs."""
    return _environment().get_template("report.md.jinja").render(report=report)


def as_json(report: Report) -> str:
    """The report model and the raw results it was made from."""
    return json.dumps(to_jsonable(report), indent=1, ensure_ascii=False)


def write(report: Report, path: Path) -> None:
    """Writes the report in the form that the file's name asks for: .html, .md or .json."""
    forms = {".html": html, ".htm": html, ".md": markdown, ".json": as_json}
    if path.suffix not in forms:
        raise ValueError(f"{path}: a report is written as .html, .md or .json")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(forms[path.suffix](report), encoding="utf-8")
    part.replace(path)
