"""`migrator measure`: memory and speed before and after, over batch sizes, precision and XLA."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from migrator import measure
from migrator.measure import matrix, records, runner
from migrator.measure.records import Cell, CellResult
from migrator.model import to_json
from migrator.report import text
from migrator.workload import sides, spec


def _ints(_: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        found = tuple(int(v) for v in value.split(","))
    except ValueError:
        found = ()
    if not found or min(found) < 1:
        raise click.BadParameter("give batch sizes like 1,8,32", param=parameter)
    return found


def _words(allowed: tuple[str, ...]):  # type: ignore[no-untyped-def]
    def parse(_: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
        found = tuple(value.split(","))
        if unknown := [v for v in found if v not in allowed]:
            raise click.BadParameter(f"{unknown[0]!r} is not one of {', '.join(allowed)}")
        return found

    return parse


@click.command(
    "measure",
    epilog="""\b
Examples:
  migrator measure .                                 the workloads of migrator.toml
  migrator measure . --batches 1,8,32 --repeats 3    the full protocol
  migrator measure --before old --after new .        two trees that you have already
""",
)
@click.argument("repo", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--before",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The TF1 tree (by default: the repository's own, from before the migration).",
)
@click.option(
    "--after",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The migrated tree (by default: the repository, or a migrated copy of it).",
)
@click.option(
    "--workloads",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A workload file instead of REPO/migrator.toml.",
)
@click.option("--batches", default="1,8", show_default=True, callback=_ints)
@click.option(
    "--executions",
    default="eager,function,xla",
    show_default=True,
    callback=_words(records.EXECUTIONS[1:]),
)
@click.option(
    "--precisions",
    default="float32,mixed_float16,mixed_bfloat16",
    show_default=True,
    callback=_words(records.PRECISIONS),
)
@click.option(
    "--modes", default="inference,training", show_default=True, callback=_words(spec.MODES)
)
@click.option(
    "--allocators",
    default="default",
    show_default=True,
    help="Of default, growth, limit:BYTES, cuda_malloc_async, with commas.",
)
@click.option("--repeats", default=1, show_default=True, help="Processes for each cell.")
@click.option("--steps", default=10, show_default=True, help="Measured steps in each process.")
@click.option("--threads", default=1, show_default=True, help="Threads within an op.")
@click.option("--timeout", default=600.0, show_default=True, help="Seconds a process may take.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where results go (by default REPO/.migrator); finished cells are not repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the measurement as JSON.")
def command(
    repo: Path, before: Path | None, after: Path | None, workloads: Path | None,
    batches: tuple[int, ...], executions: tuple[str, ...], precisions: tuple[str, ...],
    modes: tuple[str, ...], allocators: str, repeats: int, steps: int, threads: int,
    timeout: float, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Measure REPO before and after its migration.

    Every configuration runs in a fresh child process; one that dies or runs out of memory is a
    result like any other. Writes measure.json, which `migrator report` shows. Runs the repository's
    code.
    """
    errors = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="migrator-measure-") as scratch:
        try:
            found = spec.load(workloads) if workloads else spec.find(repo)
            pair = sides.resolve(repo, before, after, Path(scratch))
        except (spec.SpecError, sides.SidesError) as error:
            raise click.ClickException(str(error)) from error
        axes = matrix.Matrix(batches, executions, precisions, modes, tuple(allocators.split(",")))
        cells = matrix.cells(found, axes)
        if not cells:
            raise click.ClickException(
                f"{repo}: no workload to measure; describe one of kind 'function' in "
                f"{spec.SPEC_FILE} (see docs/measuring.md)"
            )
        settings = runner.Settings(repeats=repeats, steps=steps, threads=threads, timeout=timeout)
        with Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), console=errors, transient=True,
        ) as bar:  # fmt: skip
            task = bar.add_task("measuring", total=len(cells) * repeats)

            def progress(cell: Cell, done: int, total: int) -> None:
                bar.update(task, completed=done, description=f"{cell.title}, batch {cell.batch}")

            results = out or repo / ".migrator"
            measured = measure.run(
                pair.before, pair.after, found, results, axes, settings, progress
            )
    if as_json:
        click.echo(to_json(measured))
        return
    _print(measured.cells)
    errors.print(f"Raw results: {results / 'measure.json'}", highlight=False)


def _print(results: tuple[CellResult, ...]) -> None:
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("workload", "batch", "variant", "requested peak", "allocator peak", "step"):
        table.add_column(column, justify="left" if column in ("workload", "variant") else "right")
    for r in results:
        ok = r.ok
        table.add_row(
            r.cell.workload, str(r.cell.batch), r.cell.title,
            text.size(r.requested_peak) if ok else r.status, text.size(r.allocator_peak),
            text.duration(r.step_seconds),
        )  # fmt: skip
    Console().print(table)
    for r in results:
        if not r.ok:
            last = (r.detail.splitlines() or ["no output"])[-1]
            click.echo(f"{r.cell.title}, batch {r.cell.batch}: {r.status}: {last}", err=True)
