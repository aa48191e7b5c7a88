"""Renders a Report as one self-contained HTML page, as Markdown, or as JSON."""

from __future__ import annotations

import functools
from pathlib import Path

import jinja2
import markupsafe

from migrator.model import to_json
from migrator.project.tree import write_named
from migrator.report import charts, page
from migrator.report.model import Report


@functools.cache
def _environment() -> jinja2.Environment:
    environment = page.environment()
    environment.filters |= {
        "bar_lines": charts.lines, "legend": charts.legend, "paths": charts.paths, "ticks": charts.ticks,
    }  # fmt: skip
    environment.globals["box"] = f"0 0 {charts.WIDE} {charts.HIGH}"
    return environment


def html(report: Report) -> str:
    """The page: no request leaves it, and no script or style is used that is not in its policy by hash."""
    views = {s.id: s.view for s in report.sections if s.view}
    style, scripts = page.asset("style.css"), [page.asset("report.js")]
    if views:
        scripts.append(page.asset("memory.js"))
    policy = (
        f"default-src 'none'; style-src {page.policy_hash(style)}; "
        f"script-src {' '.join(page.policy_hash(s) for s in scripts)}; base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            report=report,
            policy=policy,
            style=markupsafe.Markup(style),
            scripts=[markupsafe.Markup(s) for s in scripts],
            views=markupsafe.Markup(page.script_safe(views)),
        )
    )


def markdown(report: Report) -> str:
    """The same report for a pull request, without charts."""
    return _environment().get_template("report.md.jinja").render(report=report)


def as_json(report: Report) -> str:
    """The report model and the raw results it was made from."""
    return to_json(report)


def write(report: Report, path: Path, root: Path | None = None) -> None:
    """Writes the report in the form that the file's name asks for: .html, .md or .json.

    root: the tree that it is about, in which nothing is written through a link.
    """
    forms = {".html": html, ".htm": html, ".md": markdown, ".json": as_json}
    if path.suffix not in forms:
        raise ValueError(f"{path}: a report is written as .html, .md or .json")
    write_named(path, forms[path.suffix](report), root)
