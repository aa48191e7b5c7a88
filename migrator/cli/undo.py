"""`migrator undo`: bring files back to what they were before a migration."""

from __future__ import annotations

import os
from pathlib import Path

import click

from migrator.cli import choices, console, exits
from migrator.cli.summary import count
from migrator.model import to_json
from migrator.project.apply import Refused
from migrator.project.undo import Undone, undo


@click.command(
    "undo",
    epilog=f"""\b
Examples:
  migrator undo .                       the last migration of this repository
  migrator undo . --file train.py       only this file
  migrator undo . --all                 all migrations, the last one first

\b
{exits.HELP}
""",
)
@choices.repo_argument
@click.option("--file", "-f", "files", multiple=True, type=click.Path(path_type=Path),
              help="Only this file (may be given again).")  # fmt: skip
@click.option("--all", "all_runs", is_flag=True, help="Undo every migration in the journal.")
@click.option("--force", is_flag=True,
              help="Also files that were edited since; the edited version is kept.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.pass_context
def command(
    ctx: click.Context, repo: Path, files: tuple[Path, ...], all_runs: bool, force: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Bring REPO back to what it was before the last `migrator migrate`, byte for byte.

    A run that was interrupted at any point is undone like any other. A file that was edited after
    the migration is left as it is and named.
    """
    if files and all_runs:
        raise click.UsageError("--file and --all exclude each other")
    only = tuple(_relative(repo, path) for path in files)
    done: list[Undone] = []
    try:
        while True:
            done.append(undo(repo, only=only, force=force))
            if not all_runs or not done[-1].earlier or done[-1].conflicts:
                break
    except Refused as error:
        raise exits.RefusedExit(str(error)) from error
    conflicts = [conflict for item in done for conflict in item.conflicts]
    if as_json:
        click.echo(to_json(done))
    else:
        out = console.stdout()
        restored = sum(len(item.restored) for item in done)
        removed = sum(len(item.removed) for item in done)
        out.print(f"Restored {count(restored, 'file')}, removed {count(removed, 'added file')}.")
        for note in dict.fromkeys(note for item in done for note in item.notes):
            console.stderr().print(console.styled(("note: ", "dim"), note))
        for path, why in conflicts:
            console.stderr().print(console.styled(("left: ", "bold red"), f"{path}: {why}"))
        if done[-1].earlier and not only and not conflicts:
            out.print(f"{count(done[-1].earlier, 'earlier run')} can still be undone.")
    ctx.exit(exits.FAILED if conflicts else exits.OK)


def _relative(repo: Path, path: Path) -> str:
    """A file as the journal names it; given relative to the repository, or to where we are."""
    root = repo.resolve()
    if not path.is_absolute():
        inside = root / path
        if os.path.exists(inside) or not os.path.exists(path):
            return path.as_posix()
    resolved = path.parent.resolve() / path.name
    if root not in resolved.parents:
        raise exits.UsageExit(f"{path} is not in {repo}")
    return resolved.relative_to(root).as_posix()
