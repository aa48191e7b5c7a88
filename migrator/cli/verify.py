"""`migrator verify`: whether the migrated program computes what the original computes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from migrator import verify
from migrator.model import to_json
from migrator.verify.records import Status, Verification
from migrator.workload import sides, spec
from migrator.workload.spec import Workload

RESULT = "verify.json"
_STYLES = {
    Status.EQUAL: "green", Status.DIFFERS: "red", Status.FAILED: "red", Status.NOT_RUN: "yellow",
}  # fmt: skip
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(
    "verify",
    epilog="""\b
Examples:
  migrator verify .                                the workloads of migrator.toml
  migrator verify . --only "unit tests"            one of them
  migrator verify --before old --after new .       two trees that you have already
  migrator verify . --tf1-python ~/tf1/bin/python  compare with this TensorFlow 1.15

\b
Exit codes: 0 everything compared is equal, 1 something differs or failed or nothing could be
compared, 2 the command cannot be run as given.
""",
)
@click.argument("repo", type=_FOLDER)
@click.option(
    "--before", type=_FOLDER,
    help="The TF1 tree (by default: the repository's own, from before the migration).",
)  # fmt: skip
@click.option(
    "--after", type=_FOLDER,
    help="The migrated tree (by default: the repository, or a migrated copy of it).",
)  # fmt: skip
@click.option(
    "--workloads", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A workload file instead of REPO/migrator.toml.",
)  # fmt: skip
@click.option("--only", multiple=True, help="Name of a workload to run; may be repeated.")
@click.option(
    "--tf1-python", default="", metavar="PYTHON",
    help="An interpreter with TensorFlow 1.15 to run the original with (by default "
    "MIGRATOR_TF1_PYTHON, else a python3.7 on the PATH that has it, else the original runs "
    "unchanged on TensorFlow 2).",
)  # fmt: skip
@click.option("--timeout", type=float, help="Seconds that any process may take.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path),
    help="Where verify.json goes (by default REPO/.migrator).",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    repo: Path, before: Path | None, after: Path | None, workloads: Path | None,
    only: tuple[str, ...], tf1_python: str, timeout: float | None, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Run REPO before and after its migration and compare the numbers.

    Compares forward outputs, losses, gradients, training steps, checkpoints, frozen graphs and unit
    tests, on the same weights and inputs, in child processes. Writes verify.json, which
    `migrator report` shows. Runs the repository's code.
    """
    errors = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="migrator-verify-") as scratch:
        try:
            found = _chosen(spec.load(workloads) if workloads else spec.find(repo), only, repo)
            reference = verify.find_reference(tf1_python)
            pair = sides.resolve(repo, before, after, Path(scratch))
        except (spec.SpecError, sides.SidesError, verify.ReferenceError) as error:
            raise click.UsageError(str(error)) from error
        if reference.side != "tf1":
            errors.print(f"[yellow]Comparing with {escape(reference.title)}[/]: "
                         f"{escape(reference.why)}", highlight=False)  # fmt: skip
        with Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), console=errors, transient=True,
        ) as bar:  # fmt: skip
            task = bar.add_task("verifying", total=len(found))

            def progress(workload: Workload, done: int, total: int) -> None:
                bar.update(task, completed=done, description=escape(workload.name))

            verified = verify.run(
                pair.before, pair.after, found, reference, verify.Settings(timeout), progress
            )
    results = out or repo / ".migrator"
    path = _write(results, verified)
    if as_json:
        click.echo(to_json(verified))
    else:
        _print(verified)
        errors.print(f"Raw results: {path}", highlight=False)
    raise click.exceptions.Exit(0 if verified.ok else 1)


def _chosen(found: tuple[Workload, ...], only: tuple[str, ...], repo: Path) -> list[Workload]:
    """The workloads to run. Raises SpecError if there is none, or none of a given name."""
    names = [w.name for w in found]
    unknown = [n for n in only if n not in names]
    if unknown:
        raise spec.SpecError(f"no workload {unknown[0]!r}; there are: {', '.join(names) or 'none'}")
    if not found:
        raise spec.SpecError(
            f"{repo}: nothing to run; describe workloads in {spec.SPEC_FILE} (see docs/verifying.md)"
        )
    return [w for w in found if not only or w.name in only]


def _write(folder: Path, verified: Verification) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / RESULT
    part = path.with_name(path.name + ".part")
    part.write_text(to_json(verified), encoding="utf-8")
    os.replace(part, path)
    return path


def _number(value: float | None) -> str:
    return "" if value is None else "0" if value == 0 else f"{value:.1e}"


def _print(verified: Verification) -> None:
    console = Console()
    table = Table(box=box.SIMPLE_HEAD, title=f"Compared with {escape(verified.reference)}")
    for column, justify in (
        ("workload", "left"), ("check", "left"), ("result", "left"), ("difference", "right"),
        ("allowed", "right"), ("what was compared", "left"),
    ):  # fmt: skip
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    last = ""
    for c in verified.checks:
        style = _STYLES[c.status]
        first = (c.detail.splitlines() or [""])[0]
        table.add_row(
            escape(c.workload) if c.workload != last else "", escape(c.name),
            f"[{style}]{c.status.value}[/]", _number(c.difference), _number(c.tolerance),
            escape(first),
        )  # fmt: skip
        last = c.workload
    console.print(table)
    for c in verified.checks:
        if c.status is not Status.EQUAL and "\n" in c.detail:
            console.print(f"[bold]{escape(c.workload)}, {escape(c.name)}[/]")
            console.print(escape(c.detail), highlight=False)
    counts = [f"{verified.count(s)} {s.value}" for s in Status if verified.count(s)]
    console.print(", ".join(counts) or "no checks", highlight=False)
