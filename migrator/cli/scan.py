"""`migrator scan`: what is in a repository, what will be automatic, what will need a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from migrator.cli import choices, console, exits, summary
from migrator.cli.migrate import make_plan, write_sarif
from migrator.model import Plan, Rung, to_json, to_jsonable
from migrator.survey import Survey, survey

MEANING = {
    "same": "same in TensorFlow 2",
    "rename": "renamed",
    "rule": "rewritten by a rule",
    "support": "support package",
    "compat": "left on tf.compat.v1",
    "manual": "needs a person",
    "unknown": "unknown",
}
_MODELS = 20
_RUNS = 20


@click.command(
    "scan",
    epilog=f"""\b
Examples:
  migrator scan .                  an overview
  migrator scan . --symbols        and every TF1 symbol with what becomes of it
  migrator scan . --json           for programs
  migrator scan . --sarif out.sarif

\b
{exits.HELP}
""",
)
@choices.repo_argument
@click.option("--symbols", is_flag=True, help="List every symbol with what becomes of it.")
@choices.migration_options
@click.option("--json", "as_json", is_flag=True, help="Print the overview and findings as JSON.")
@click.option("--sarif", type=click.Path(dir_okay=False, path_type=Path),
              help="Also write findings and changes as SARIF 2.1.0.")  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context, repo: Path, symbols: bool, as_json: bool, sarif: Path | None, **given: Any
) -> None:
    """Say what is in REPO and what its migration will take. Nothing is run, nothing is written."""
    options = choices.build_options(repo, given)
    plan = make_plan(repo, given, quiet=as_json)
    with console.progress("looking up symbols", as_json) as step:
        found = survey(plan, options, step)
    if sarif is not None:
        write_sarif(plan, sarif)
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
        _print(found, plan, symbols, console.stdout())
        summary.print_failures(plan, None, console.stderr())
    ctx.exit(exits.FAILED if plan.failed else exits.OK)


def _print(found: Survey, plan: Plan, symbols: bool, out: Console) -> None:
    out.print(
        console.styled(
            (found.root, "bold"),
            f": {summary.count(sum(found.files.values()), 'Python file')}, {found.lines:,} lines, "
            f"{found.tensorflow_files:,} with TensorFlow",
        )
    )
    if found.python2:
        shown = ", ".join(found.python2[:3]) + (", ..." if len(found.python2) > 3 else "")
        out.print(console.styled(f"{summary.count(len(found.python2), 'file')} in Python 2: {shown}"))
    _print_symbols(found, symbols, out)
    if found.sites:
        out.print()
        out.print(console.styled(("Graph programs", "bold")))
        for kind, number in found.sites.items():
            out.print(f"  {number:>7,}  {kind}")
    _print_runs(found, out)
    if found.models:
        out.print()
        out.print(console.styled(("Model files", "bold")))
        for model in found.models[:_MODELS]:
            size = f"{model.bytes / 2**20:,.1f} MiB" if model.bytes >= 1 << 20 else (
                f"{model.bytes / 2**10:,.1f} KiB"
            )  # fmt: skip
            out.print(console.styled(f"  {size:>12}  {model.kind:<18} {model.path}"))
        if len(found.models) > _MODELS:
            out.print(f"  and {len(found.models) - _MODELS:,} more")
    out.print()
    out.print(console.styled(("Migration", "bold")))
    edits = summary.count(found.automatic, "edit")
    out.print(f"  {edits} in {summary.count(len(plan.changed), 'file')} will be automatic")
    if plan.support_files:
        folders = sorted({path.rpartition("/")[0] for path, _ in plan.support_files})
        count = summary.count(len(plan.support_files), "support file")
        out.print(console.styled(f"  {count} will be added in {', '.join(folders)}"))
    for rung, text in (
        ("compat", "will run on tf.compat.v1"), ("manual", "will need a person"),
    ):  # fmt: skip
        if found.by_rung.get(rung):
            out.print(f"  {summary.count(found.by_rung[rung], 'place')} {text}")
    if plan.failed:
        out.print(f"  {summary.count(len(plan.failed), 'file')} could not be read")
    out.print()
    summary.print_findings(plan, out)


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
    for run in kept[:_RUNS]:
        where = f"{run.path}:{run.line}"
        out.print(console.styled(f"           {where} runs {run.fetches}: {run.reason}"))
    if len(kept) > _RUNS:
        out.print(f"           and {len(kept) - _RUNS:,} more (--json lists all)")


def _print_symbols(found: Survey, symbols: bool, out: Console) -> None:
    if not found.symbols:
        out.print("No use of TensorFlow was found.")
        return
    out.print()
    out.print(console.styled(("Symbols", "bold")))
    used: dict[str, int] = found.dispositions
    for kind, text in MEANING.items():
        if kind in used:
            distinct = sum(usage.disposition == kind for usage in found.symbols)
            out.print(f"  {used[kind]:>7,}  {text} ({distinct:,} different)")
    if not symbols:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("symbol", "becomes"):
        table.add_column(column)
    for column in ("uses", "files"):
        table.add_column(column, justify="right")
    for usage in found.symbols:
        table.add_row(
            console.safe(usage.symbol), MEANING.get(usage.disposition, usage.disposition),
            f"{usage.count:,}", f"{usage.files:,}",
        )  # fmt: skip
    out.print(table)
