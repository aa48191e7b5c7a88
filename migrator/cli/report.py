"""`migrator report`: one self-contained page about a migration."""

from __future__ import annotations

from pathlib import Path

import click

from migrator.measure.records import SchemaError
from migrator.report import build


@click.command(
    "report",
    epilog="""\b
Examples:
  migrator report .                            writes .migrator/report.html
  migrator report . --out pull-request.md      the same for a pull request
  migrator report . --results a --out x.json   from results kept elsewhere
""",
)
@click.argument("repo", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where plan.json, verify.json and measure.json lie (by default REPO/.migrator).",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write: .html, .md or .json (by default REPO/.migrator/report.html).",
)
@click.option("--title", help="The heading (by default the name of the repository).")
def command(repo: Path, results: Path | None, out: Path | None, title: str | None) -> None:
    """Write the report of REPO's migration: what changed, whether it is equal, where memory goes.

    Takes whichever of plan.json, verify.json and measure.json there are. Runs nothing.
    """
    results = results or repo / ".migrator"
    out = out or repo / ".migrator" / "report.html"
    title = title or f"{repo.resolve().name}: TensorFlow 1 to TensorFlow 2"
    try:
        build.run(results, out, title)
    except (build.ReportError, SchemaError, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(str(out.resolve()))
