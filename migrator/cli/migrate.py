"""`migrator migrate`: make the plan, then show it, write it in place, or write a copy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from migrator.cli import (
    choices,
    ci,
    committing,
    console,
    editor,
    exits,
    markdown,
    outputs,
    review,
    summary,
)
from migrator.cli.groups import Command
from migrator.cli.hunkprint import print_hunk
from migrator.engine import baseline, history
from migrator.engine.packs import PackError
from migrator.engine.plan import build_plan
from migrator.engine.ray_pool import RayError
from migrator.model import Plan
from migrator.project import diff, planfile
from migrator.project.apply import Applied, Refused, apply_plan, check_git
from migrator.project.copytree import write_copy
from migrator.project.paths import UnsafePath

_FILE = click.Path(dir_okay=False, path_type=Path)


ADVANCED = (
    "--stdin-filename", "--write-baseline", "--sarif", "--annotations", "--junit", "--statistics",
)  # fmt: skip


@click.command(
    "migrate",
    cls=Command,
    advanced=(*choices.ADVANCED, *ADVANCED),
    epilog=f"""\b
Examples:
  migrator migrate . --diff                    review first
  migrator migrate . --interactive             hunk by hunk; stop and resume at will
  migrator migrate . --patch tf2.patch         the same as a patch: git apply tf2.patch
  migrator migrate . --review review.html      side by side in a browser, with filters
  migrator migrate . --decisions decisions.json   what was accepted on that page
  migrator migrate . --plan plan.json          review today; migrator apply plan.json tomorrow
  migrator migrate . --commit                  one commit for each family of rules
  migrator migrate . --since main --diff       only files that differ from a revision
  migrator migrate . --write-baseline base.json; migrator migrate . --baseline base.json --diff
  migrator migrate . --out ../repo-tf2         a migrated copy, REPO untouched
  migrator migrate . -f models/ -i TF5         one folder, without the input pipelines
  migrator migrate . --precision mixed_float16 --gpu-memory limit

\b
{exits.HELP}
""",
)
@choices.repo_argument
@click.option("--diff", "as_diff", is_flag=True, help="Show what would change and why; no writing.")
@click.option("--patch", type=_FILE, help="Write a patch for `git apply` (- for stdout) instead.")
@click.option("--review", "review_file", type=_FILE,
              help="Write a page to review it side by side in a browser instead.")  # fmt: skip
@click.option("--plan", "plan_file", type=_FILE,
              help="Write the plan (- for stdout) for `migrator apply` instead.")  # fmt: skip
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write a migrated copy of REPO here (absent or empty) instead.",
)
@click.option("--interactive", is_flag=True,
              help="Ask about each hunk first; what was answered is kept when you stop.")  # fmt: skip
@review.decisions_option
@click.option("--stdin-filename", metavar="PATH",
              help="Migrate standard input as if it were this file, to standard output.")  # fmt: skip
@click.option("--commit", is_flag=True,
              help="Commit the result: one commit for each family of rules.")  # fmt: skip
@click.option("--write-baseline", type=_FILE,
              help="Write all that is left to do as known for now (for --baseline) instead.")  # fmt: skip
@click.option("--allow-dirty", is_flag=True, help="Write even if git has uncommitted changes.")
@choices.migration_options
@click.option("--json", "as_json", is_flag=True, help="Print the plan, and what was done, as JSON.")
@click.option("--verbose", "-v", is_flag=True, help="List every rule and every place that is left.")
@click.option("--sarif", type=_FILE, help="Also write the plan as SARIF 2.1.0.")
@click.option("--annotations", is_flag=True, help="Also print annotations for GitHub Actions.")
@click.option("--junit", type=_FILE,
              help="Also write a JUnit XML file, one case a file.")  # fmt: skip
@click.option("--statistics", is_flag=True,
              help="Also print how often each rule acted and where the time went.")  # fmt: skip
@click.option("--summary", "summary_file", type=_FILE,
              help="Also write a summary in Markdown, for a pull request.")  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context, repo: Path, as_diff: bool, patch: Path | None,
    review_file: Path | None, plan_file: Path | None, out: Path | None, interactive: bool,
    decisions: Path | None, stdin_filename: str | None, commit: bool, write_baseline: Path | None,
    allow_dirty: bool, as_json: bool, verbose: bool, sarif: Path | None, annotations: bool,
    junit: Path | None, statistics: bool, summary_file: Path | None, **given: Any,
) -> None:  # fmt: skip
    """Migrate the TensorFlow 1 repository REPO to native TensorFlow 2.

    Nothing of REPO is run and TensorFlow is not needed. Every original is kept in a journal before
    the first write; `migrator undo` brings them back byte for byte, also after a crash. What no
    rule can do is listed at the end with file, line and advice.
    """
    if stdin_filename is not None:
        ctx.exit(editor.run(repo, stdin_filename, as_diff, as_json, given))
    if sum((as_diff, patch is not None, out is not None)) > 1:
        raise click.UsageError("--diff, --patch and --out exclude each other")
    if out is not None and (plan_file is not None or review_file is not None):
        raise click.UsageError("--plan, --review and --out exclude each other")
    if interactive and decisions is not None:
        raise click.UsageError("--interactive asks, --decisions are answers: one of them")
    if interactive and (as_json or "-" in (str(patch), str(plan_file))):
        raise click.UsageError("--interactive needs stdout for its questions")
    files = (patch, review_file, plan_file, write_baseline)
    dry = as_diff or any(file is not None for file in files)
    writes = not dry and out is None
    if commit and (not writes or allow_dirty):
        raise click.UsageError("--commit needs a clean tree, and commits what it writes there")
    ready = committing.check(repo) if commit else None
    if interactive and writes:  # not after a hundred answers
        try:
            check_git(repo.resolve(), (), allow_dirty)
        except Refused as error:
            raise exits.RefusedExit(str(error)) from error
    given["statistics"] = statistics
    plan = make_plan(repo, given, quiet=as_json, known=write_baseline is None)
    if write_baseline is not None:
        save_baseline(plan, write_baseline)
        ctx.exit(exits.OK)
    if interactive:
        plan = _reviewed(plan, repo)
    undecided = False
    if decisions is not None:
        plan, undecided = review.decided(plan, decisions)
    if annotations and (as_json or "-" in (str(patch), str(plan_file))):
        raise click.UsageError("--annotations needs stdout")
    if sarif is not None:
        write_sarif(plan, sarif)
    write_ci(plan, annotations, junit)
    if summary_file is not None:
        outputs.write(summary_file, repo, markdown.summary(plan))
    if plan_file is not None:
        with outputs.writing(plan_file, repo) as stream:
            planfile.write(plan, stream)
    if review_file is not None:
        write_review(plan, review_file)
    if dry:
        taken = "-" in (str(patch), str(plan_file))
        _show(plan, as_diff, patch, as_json, statistics, taken, verbose)
        ctx.exit(exits.FAILED if undecided else _dry_code(plan))
    base = history.head(repo)
    try:
        if out is not None:
            applied = write_copy(plan, out)
        elif ready is not None:
            applied = committing.apply_and_commit(plan, ready)
        else:
            applied = apply_plan(
                plan, allow_dirty=allow_dirty, besides=(decisions,) if decisions else ()
            )
    except Refused as error:
        raise exits.RefusedExit(str(error)) from error
    except KeyboardInterrupt:
        raise exits.InterruptedExit(
            f"interrupted; `migrator undo {repo}` brings back what was written"
        ) from None
    if interactive:
        review.forget(repo)
    keep_plan(plan, repo if out is None else out, applied.run_id, base)
    if as_json:
        _print_json(plan, applied)
    else:
        _report(plan, applied, repo, out, statistics, verbose)
    ctx.exit(exits.FAILED if plan.failed or applied.failed or undecided else exits.OK)


def make_plan(
    repo: Path, given: dict[str, Any], quiet: bool = False, known: bool = True,
    files: tuple[Path, ...] = (),
) -> Plan:  # fmt: skip
    """The plan for a command's arguments, without what the baseline knows unless told so; bad
    options and rule packs end the command with code 2. files: only these, if there are any."""
    options = choices.build_options(repo, given)
    options = replace(options, only_files=files) if files else options
    accepted = choices.accepted(repo, given) if known else None
    try:
        with console.progress("migrating", quiet) as step:
            plan = history.with_earlier(build_plan(repo, options, step), repo)
    except (PackError, RayError) as error:
        raise exits.UsageExit(str(error)) from error
    if not plan.options.get("tensorflow", True) and not options.select:
        console.stderr().print(
            "No module here imports TensorFlow, so Python and numpy code is left as it is too "
            "(--select PY migrates it)."
        )
    if accepted is None:
        return plan
    found = baseline.without(plan, accepted)
    text = f"{summary.count(found.hidden, 'place')} known to the baseline"
    if found.gone:
        text += f"; {found.gone:,} of its entries are gone, write it again with --write-baseline"
    console.stderr().print(console.styled((f"{text}.", "dim")))
    return found.plan


def save_baseline(plan: Plan, path: Path) -> None:
    """Write what a plan holds as known; files that are not in the plan keep their entries."""
    try:
        earlier = baseline.load(path) if path.exists() and plan.options.get("only_files") else None
    except baseline.BaselineError as error:
        raise exits.UsageExit(console.safe(str(error))) from error
    outputs.write(path, Path(plan.root), baseline.dump(baseline.of(plan, earlier)))
    console.stderr().print(console.styled(f"Baseline: {path}"))


def _reviewed(plan: Plan, repo: Path) -> Plan:
    """The hunks of a plan that a person accepts; ends the command with code 0 if they stop."""
    try:
        return review.review(plan, repo.resolve())
    except review.Quit:
        console.stderr().print(console.styled(
            "Nothing was written; the answers are kept. Go on with: "
            f"migrator migrate {repo} --interactive"
        ))  # fmt: skip
        raise click.exceptions.Exit(exits.OK) from None
    except (OSError, UnsafePath) as error:
        raise exits.RefusedExit(f"the answers cannot be kept: {error}") from error


def _dry_code(plan: Plan) -> int:
    if plan.failed:
        return exits.FAILED
    return exits.CHANGES if plan.changed or plan.support_files else exits.OK


def write_sarif(plan: Plan, path: Path) -> None:
    """Write the plan as SARIF."""
    from migrator.cli import sarif as model
    from migrator.cli.rules import titles

    outputs.write(path, Path(plan.root), model.document(plan, titles()))


def write_review(plan: Plan, path: Path) -> None:
    """Write the side-by-side page; a place that cannot be written ends the command with code 2."""
    from migrator.report import review as page

    title = f"{Path(plan.root).name}: review of the migration"
    outputs.write(path, Path(plan.root), page.html(plan, title))
    console.stderr().print(console.styled(f"Review: {path.resolve()}"))


def write_ci(plan: Plan, annotations: bool, junit: Path | None) -> None:
    """Print annotations and write JUnit XML, where they are asked for."""
    if junit is not None:
        with outputs.writing(junit, Path(plan.root)) as stream:
            stream.write(ci.junit(plan))
    if annotations:
        for line in ci.github(plan):
            console.echo(line)


def keep_plan(plan: Plan, where: Path, run: str, base: str) -> None:
    """Leave what was written where `migrator report` and `todo` look for it."""
    try:
        history.keep(plan, where, run, base)
    except (OSError, UnsafePath, planfile.PlanError) as error:
        console.stderr().print(f"The plan cannot be kept for `migrator report`: {error}")


# -- printing


def _print_json(plan: Plan, applied: Applied | None = None) -> None:
    with outputs.writing(Path("-"), Path(plan.root)) as stream:
        planfile.write(plan, stream, applied, ascii_only=False)


def _show(
    plan: Plan, as_diff: bool, patch: Path | None, as_json: bool, statistics: bool,
    stdout_taken: bool, verbose: bool,
) -> None:  # fmt: skip
    if patch is not None:
        with outputs.writing(patch, Path(plan.root)) as stream:
            for part in diff.patch(plan):
                stream.write(part)
    if as_json:
        if not stdout_taken:
            _print_json(plan)
        return
    messages = console.stderr()
    if as_diff and not stdout_taken:
        out = console.stdout()
        if out.is_terminal:
            with console.pager(out):
                print_diff(plan, out)
        else:
            print_diff(plan, out)
    summary.print_left(plan, messages, verbose, str(plan.root))
    summary.print_failures(plan, None, messages)
    if statistics:
        summary.print_statistics(plan, messages)
    messages.print()
    summary.print_totals(summary.Totals.of(plan), messages, written=False)
    would = f"would change {summary.count(len(plan.changed), 'file')}"
    added = sum(1 for _, text in plan.support_files if text)
    gone = len(plan.support_files) - added
    would += f" and add {summary.count(added, 'support file')}" if added else ""
    would += f" and remove {summary.count(gone, 'support file')}" if gone else ""
    messages.print(would[0].upper() + would[1:] + ".")


def print_diff(plan: Plan, out: Console) -> None:
    """Every hunk, after the codes and reasons of the rules that made it."""
    for result in plan.changed:
        out.print(console.styled((f"--- a/{result.path}", "bold")))
        out.print(console.styled((f"+++ b/{result.path}", "bold")))
        for hunk in diff.hunks(result):
            print_hunk(hunk, result, out)
    for path, text in plan.support_files:
        said = f"{text.count(chr(10))} lines" if text else "removed"
        out.print(console.styled((f"+++ b/{path}", "bold"), f"  (support file, {said})"))


def _report(
    plan: Plan, applied: Applied, repo: Path, out: Path | None, statistics: bool, verbose: bool
) -> None:
    screen = console.stdout()
    for note in applied.notes:
        console.stderr().print(console.styled(("note: ", "dim"), note))
    done = len(applied.written) + len(applied.created) + len(applied.removed)
    if not done and not applied.failed and not plan.failed:
        screen.print("Nothing to change.")
        summary.print_left(plan, screen, verbose, str(repo))
        screen.print()
        summary.print_totals(summary.Totals.of(plan), screen, written=True)
        return
    totals, plan = summary.Totals.of(plan), history.as_written(plan)
    if verbose:
        summary.print_rules(plan, screen)
    if statistics:
        summary.print_statistics(plan, screen)
    summary.print_left(plan, screen, verbose, str(repo))
    summary.print_failures(plan, applied, console.stderr())
    screen.print()
    summary.print_totals(totals, screen, written=True)
    where = f" in {out}" if out is not None else ""
    changed = [path for path in applied.written if path not in dict(plan.support_files)]
    screen.print(
        console.styled(
            (f"Changed {summary.count(len(changed), 'file')}", "bold"),
            f"{summary.support_done(applied)}{where}.",
        )
    )
    if out is None and done:
        screen.print(console.styled(f"Undo with: migrator undo {repo}"))
