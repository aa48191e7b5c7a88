"""`migrator report`: one self-contained page about a migration, or of several result files."""

from __future__ import annotations

from pathlib import Path

import click

from migrator.cli import console
from migrator.measure.predict.devices import CatalogueError
from migrator.measure.records import SchemaError
from migrator.report import build, cards, render


@click.command(
    "report",
    epilog="""\b
Examples:
  migrator report .                            writes .migrator/report.html
  migrator report . --out pull-request.md      the same for a pull request
  migrator report . --results a --out x.json   from results kept elsewhere
  migrator report jan.json feb.json            measurements of one machine over time
  migrator report a100/ t4/ --out gpus.html    several machines on one page
""",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where plan, verify, measure and predict.json lie (by default REPO/.migrator).",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write: .html, .md or .json (by default REPO/.migrator/report.html, and "
    "report.html here for result files).",
)
@click.option("--title", help="The heading (by default the name of the repository).")
@click.option(
    "--devices", "catalogue", multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with further GPUs ([[device]] tables); may be given again.",
)  # fmt: skip
@click.option(
    "--target", default=cards.TARGET, show_default=True, type=click.IntRange(1),
    help="The batch that strategies are advised for on each GPU.",
)  # fmt: skip
def command(
    paths: tuple[Path, ...], results: Path | None, out: Path | None, title: str | None,
    catalogue: tuple[Path, ...], target: int,
) -> None:  # fmt: skip
    """Write the report of a migration, or one page of several result files.

    PATHS is one repository: its report says what changed, whether it is equal, and where memory
    goes, from whichever of plan.json, verify.json, measure.json and predict.json there are. Or PATHS
    are measure.json files, or folders that hold one: results of one machine are compared over time,
    those of several stand beside each other. Runs nothing.
    """
    try:
        if results is None and len(paths) == 1 and _is_results(paths[0]):
            out = out or Path("report.html")
            build.run(paths[0], out, title or paths[0].resolve().name, catalogue, target)
        elif results is None and (len(paths) > 1 or not paths[0].is_dir()):
            out = out or Path("report.html")
            made = build.merge(paths, title or "Results compared", catalogue, target)
            render.write(made, out)
        elif len(paths) > 1:
            raise click.UsageError("--results goes with one repository")
        else:
            root = paths[0] if results is None else None
            results = results or paths[0] / ".migrator"
            out = out or paths[0] / ".migrator" / "report.html"
            title = title or f"{paths[0].resolve().name}: TensorFlow 1 to TensorFlow 2"
            build.run(results, out, title, catalogue, target, root)
    except (build.ReportError, CatalogueError, SchemaError, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    console.echo(str(out.resolve()))


def _is_results(folder: Path) -> bool:
    """Whether a folder is what `--out` of measure or predict named, and no repository."""
    held = any((folder / name).is_file() for name in ("measure.json", "predict.json"))
    return held and not (folder / ".migrator").is_dir()
