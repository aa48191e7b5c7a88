"""`migrator merge`: measurements of several machines in one file."""

from __future__ import annotations

from pathlib import Path

import click

from migrator.cli import measure_print
from migrator.measure import merge, records, runner
from migrator.model import to_json


@click.command(
    "merge",
    epilog="""\b
Examples:
  migrator merge t4.json a100.json --out .migrator/measure.json
  migrator merge monday.json tuesday.json --out both.json     more processes of the same cells
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
            found.append(records.load(path.read_text(encoding="utf-8"), str(path)))
        except (records.SchemaError, OSError, UnicodeDecodeError) as error:
            raise click.ClickException(str(error)) from error
    merged = merge.merge(found)
    out.parent.mkdir(parents=True, exist_ok=True)
    runner.replace(out, to_json(merged))
    measure_print.results(merged.cells)
    machines = f"{len(merged.machines)} machine{'s' if len(merged.machines) != 1 else ''}"
    click.echo(f"{len(merged.cells)} cells of {machines}: {out}", err=True)
