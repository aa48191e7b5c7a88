"""`migrator wheel`: the support code as a package to install, for `migrate --support package`."""

from __future__ import annotations

from pathlib import Path

import click

from migrator import support_wheel
from migrator.cli import console, exits


@click.command(
    "wheel",
    epilog=f"""\b
Examples:
  migrator wheel wheels/
  pip install --no-index --find-links wheels/ tf1-support
  migrator migrate . --support package      the code uses it, requirements pin it

\b
{exits.HELP}
""",
)
@click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), default=Path("."), metavar="[FOLDER]"
)
def command(folder: Path) -> None:
    """Write the wheel of tf1-support into FOLDER (the current one, if not given).

    It is the support code that `migrate` otherwise puts into each repository, complete: pure Python, with
    types, for TensorFlow 2.21 as it is installed beside it. No network is needed.
    """
    try:
        path = support_wheel.write(folder)
    except OSError as error:
        where = error.filename or folder
        raise exits.RefusedExit(f"{where} cannot be written: {error.strerror or error}") from error
    console.stdout().print(console.styled(str(path)))
