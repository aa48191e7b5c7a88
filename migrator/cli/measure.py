"""`migrator measure`: measures, and what belongs to it: predict, fit, merge."""

from __future__ import annotations

import click

from migrator.cli.groups import WithDefault

COMMANDS = {
    "run": "Measure before and after (what `migrator measure REPO` does).",
    "predict": "Predict memory and largest batches for GPUs that are not here.",
    "fit": "Find the largest batch that runs here, by running.",
    "merge": "Put measurements of several machines together.",
}


@click.group("measure", cls=WithDefault, listed=COMMANDS, modules={"run": "measure_run"})
def command() -> None:
    """Measure memory and speed before and after; predict, fit, merge."""
