"""`migrator measure merge`: measurements of several machines in one file."""

from __future__ import annotations

from pathlib import Path

import click

from migrator.cli import console, measure_print
from migrator.measure import merge, records
from migrator.model import to_json
from migrator.project.source import SourceError
from migrator.project.tree import read_named, write_named


@click.command(
    "merge",
    epilog="""\b
Examples:
  migrator measure merge t4.json a100.json --out .migrator/measure.json
  migrator measure merge monday.json tuesday.json --out both.json     more processes of the same cells
""",
)
@click.argument(
    "files", nargs=-1, required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)  # fmt: skip
@click.option(
    "--out", required=True, type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write.",
)  # fmt: skip
def command(files: tuple[Path, ...], out: Path) -> None:
    """Put the measurements FILES (measure.json) of several machines into one.

    Cells keep the label of the machine that they ran on; what ran twice on the same machine with
    the same software counts as more processes of one cell.
    """
    found = []
    for path in files:
        try:
            found.append(records.load(read_named(path, 1 << 30)[0].decode("utf-8"), str(path)))
        except (records.SchemaError, SourceError, UnicodeDecodeError) as error:
            raise click.ClickException(str(error)) from error
    merged = merge.merge(found)
    write_named(out, to_json(merged))
    measure_print.results(merged.cells)
    machines = f"{len(merged.machines)} machine{'s' if len(merged.machines) != 1 else ''}"
    console.echo(f"{len(merged.cells)} cells of {machines}: {out}", err=True)
