"""`migrator scan`: what is in a repository, what will be automatic, what will need a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from migrator.cli import choices, console, exits, summary
from migrator.cli.groups import Command
from migrator.cli.migrate import make_plan
from migrator.model import Plan, Rung, to_json, to_jsonable
from migrator.survey import Survey, survey

MEANING = {
    "same": "same in TensorFlow 2",
    "rename": "renamed",
    "rule": "rewritten by a rule",
    "support": "support package",
    "compat": "no successor but in tf.compat.v1",
    "manual": "no successor",
    "unknown": "unknown",
}


@click.command(
    "scan",
    cls=Command,
    advanced=choices.ADVANCED,
    epilog=f"""\b
Examples:
  migrator scan .                  what is automatic, what is left
  migrator scan . --verbose        and every place, symbol, session run and model file
  migrator scan . --json           for programs

\b
{exits.HELP}
""",
)
@choices.repo_argument
@click.option("--verbose", "-v", is_flag=True, help="List every place, symbol, run and model file.")
@choices.migration_options
@click.option("--json", "as_json", is_flag=True, help="Print the overview and findings as JSON.")
@click.pass_context
def command(
    ctx: click.Context, repo: Path, verbose: bool, as_json: bool, **given: Any
) -> None:
    """Say what is in REPO and what its migration will take. Nothing is run, nothing is written."""
    options = choices.build_options(repo, given)
    plan = make_plan(repo, given, quiet=as_json)
    with console.progress("looking up symbols", as_json) as step:
        found = survey(plan, options, step)
    if as_json:
        click.echo(
            to_json(
                {
                    "format": "migrator-scan",
                    "version": 1,
                    **to_jsonable(found),
                    "dispositions": found.dispositions,
                    "findings": to_jsonable(plan.findings),
                    "failed": {item.path: item.error for item in plan.failed},
                }
            )
        )
    else:
        _print(found, plan, verbose, console.stdout(), str(repo))
        summary.print_failures(plan, None, console.stderr())
    ctx.exit(exits.FAILED if plan.failed else exits.OK)


def _print(found: Survey, plan: Plan, verbose: bool, out: Console, repo: str) -> None:
    totals = summary.Totals.of(plan)
    summary.print_totals(totals, out, written=False)
    if not found.tensorflow_files and not totals.edits:
        out.print("No use of TensorFlow was found.")
    summary.print_left(plan, out, verbose, repo)
    out.print()
    out.print(
        console.styled(
            (found.root, "bold"),
            f": {summary.count(sum(found.files.values()), 'Python file')}, {found.lines:,} lines, "
            f"{found.tensorflow_files:,} with TensorFlow"
            + (f", {len(found.python2):,} in Python 2" if found.python2 else "")
            + (f", {summary.count(len(found.models), 'model file')}" if found.models else ""),
        )
    )
    if verbose:
        _print_more(found, plan, out)
    elif found.runs or found.symbols or found.models:
        out.print(console.styled(
            f"All places, symbols and session runs: --verbose. A list to work on: migrator todo {repo}"
        ))  # fmt: skip


def _print_more(found: Survey, plan: Plan, out: Console) -> None:
    """What the repository is made of."""
    if found.python2:
        out.print(console.styled(f"In Python 2: {', '.join(found.python2)}"))
    if found.sites:
        out.print()
        out.print(console.styled(("Graph programs", "bold")))
        for kind, number in found.sites.items():
            out.print(f"  {number:>7,}  {kind}")
    _print_runs(found, out)
    if found.models:
        out.print()
        out.print(console.styled(("Model files", "bold")))
        for model in found.models:
            size = f"{model.bytes / 2**20:,.1f} MiB" if model.bytes >= 1 << 20 else (
                f"{model.bytes / 2**10:,.1f} KiB"
            )  # fmt: skip
            out.print(console.styled(f"  {size:>12}  {model.kind:<18} {model.path}"))
    if any(text for _, text in plan.support_files):
        folders = sorted({path.rpartition("/")[0] for path, _ in plan.support_files})
        count = summary.count(len(plan.support_files), "support file")
        out.print(console.styled(f"{count} will be added in {', '.join(folders)}"))
    _print_symbols(found, out)


def _print_runs(found: Survey, out: Console) -> None:
    """Where sessions are run: how many become native, and each that does not, with the reason."""
    if not found.runs:
        return
    kept = [run for run in found.runs if run.rung is not Rung.NATIVE]
    out.print()
    out.print(console.styled(("Session runs", "bold")))
    out.print(f"  {len(found.runs) - len(kept):>7,}  become native")
    if kept:
        out.print(f"  {len(kept):>7,}  stay on tf.compat.v1:")
    for run in kept:
        where = f"{run.path}:{run.line}"
        out.print(console.styled(f"           {where} runs {run.fetches}: {run.reason}"))


def _print_symbols(found: Survey, out: Console) -> None:
    """Every symbol, with what the tables say of it; what a program allows is what `_print` begins with."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="Symbols", title_justify="left")
    for column in ("symbol", "by itself"):
        table.add_column(column)
    for column in ("uses", "files"):
        table.add_column(column, justify="right")
    for usage in found.symbols:
        table.add_row(
            console.safe(usage.symbol), MEANING.get(usage.disposition, usage.disposition),
            f"{usage.count:,}", f"{usage.files:,}",
        )  # fmt: skip
    out.print(table)
