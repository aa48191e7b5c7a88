"""`migrator apply`: write a plan that was made, and reviewed, before."""

from __future__ import annotations

from pathlib import Path

import click

from migrator.cli import console, exits, review
from migrator.cli.migrate import keep_plan
from migrator.cli.summary import count, support_done
from migrator.engine import history
from migrator.model import Plan, to_json
from migrator.project import planfile
from migrator.project.apply import Applied, Refused, apply_plan


@click.command(
    "apply",
    epilog=f"""\b
Examples:
  migrator migrate . --plan plan.json     make the plan today
  migrator apply plan.json                write it tomorrow
  migrator apply plan.json ../checkout    into another checkout of the same files
  migrator apply plan.json --decisions decisions.json   what was accepted on the review page

\b
{exits.HELP}
""",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument(
    "repo", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@review.decisions_option
@click.option("--allow-dirty", is_flag=True, help="Write even if git has uncommitted changes.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.pass_context
def command(
    ctx: click.Context, file: Path, repo: Path | None, decisions: Path | None, allow_dirty: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Write the plan FILE of `migrator migrate --plan` into the repository REPO.

    A file whose content is no longer what the plan was made for is left as it is and named; the
    others are written, through the journal, so that `migrator undo` brings them back. Without
    REPO, the plan goes where it was made, if that is the current folder, above or below it.
    """
    try:
        plan = planfile.load(file)
        root = _root(plan, repo, file)
        planfile.check_tree(plan, root)
    except planfile.PlanError as error:
        raise exits.UsageExit(console.safe(str(error))) from error
    left = False
    if decisions is not None:
        plan, left = review.decided(plan, decisions)
    base = history.head(root)
    try:
        applied = apply_plan(
            plan, allow_dirty=allow_dirty, what="apply", root=root,
            besides=(file, *((decisions,) if decisions else ())),
        )  # fmt: skip
    except Refused as error:
        raise exits.RefusedExit(str(error)) from error
    except KeyboardInterrupt:
        raise exits.InterruptedExit(
            f"interrupted; `migrator undo {root}` brings back what was written"
        ) from None
    keep_plan(plan, root, applied.run_id, base)
    if as_json:
        click.echo(to_json(applied))
    else:
        _report(plan, applied, root)
    ctx.exit(exits.FAILED if applied.failed or left else exits.OK)


def _root(plan: Plan, repo: Path | None, file: Path) -> Path:
    """Where the plan goes. The root in a plan is believed only near the current folder: whoever
    wrote the file must not choose any place of the disk."""
    if repo is not None:
        return repo.resolve()
    here = Path.cwd().resolve()
    root = Path(plan.root)
    if "\0" not in plan.root and root.is_absolute() and root.is_dir():
        root = root.resolve()
        if root == here or root in here.parents or here in root.parents:
            return root
    raise exits.UsageExit(
        f"{file} was made for {console.safe(plan.root)}, which is not here; say where it goes: "
        f"migrator apply {file} REPO"
    )


def _report(plan: Plan, applied: Applied, root: Path) -> None:
    messages = console.stderr()
    for note in applied.notes:
        messages.print(console.styled(("note: ", "dim"), note))
    for path, why in applied.failed:
        messages.print(console.styled(("failed: ", "bold red"), f"{path}: {why}"))
    support = dict(plan.support_files)
    changed = [path for path in applied.written if path not in support]
    out = console.stdout()
    out.print(
        console.styled(
            (f"Changed {count(len(changed), 'file')}", "bold"),
            f"{support_done(applied)} in {root}.",
        )
    )
    if applied.written or applied.created or applied.removed:
        out.print(console.styled(f"Undo with: migrator undo {root}"))
