"""`migrator measure predict`: peaks and largest batches for GPUs that are not here, with nothing run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table

from migrator.cli import console, exits, outputs
from migrator.cli import measure_options as options
from migrator.measure import records
from migrator.measure.predict import devices, forecast
from migrator.model import to_json
from migrator.report import cards, text
from migrator.workload import sides, spec


@click.command(
    "predict",
    epilog="""\b
Examples:
  migrator measure predict .                                         the workloads of migrator.toml
  migrator measure predict . --model net.zoo:build --input 1x300x300x3 --modes training
  migrator measure predict . --devices mine.toml --target 64         with GPUs of your own
""",
)
@click.argument("repo", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--workloads", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A workload file instead of REPO/migrator.toml.",
)  # fmt: skip
@click.option(
    "--model", multiple=True, metavar="MODEL",
    help="package.module:build, a SavedModel folder, or a .pb, .keras or .h5 file.",
)  # fmt: skip
@click.option(
    "--input", "inputs", multiple=True, metavar="SHAPE",
    help="An input of --model: 1x300x300x3, NAME=1x300x300x3, 1x300x300x3:uint8.",
)  # fmt: skip
@click.option(
    "--kwarg", "kwargs", multiple=True, metavar="KEY=VALUE", callback=options.keywords,
    help="A keyword argument for the builder of --model.",
)  # fmt: skip
@click.option(
    "--loss", default="", metavar="MODULE:FUNCTION", help="The loss of --model's outputs."
)
@click.option(
    "--after", type=options.DIRECTORY,
    help="The migrated tree (by default: the repository, or a migrated copy of it).",
)  # fmt: skip
@click.option("--batches", default="1,8,16", show_default=True, callback=options.ints)
@click.option(
    "--precisions",
    default="float32,mixed_float16",
    show_default=True,
    callback=options.words(records.PRECISIONS),
)
@click.option(
    "--modes", default="inference,training", show_default=True, callback=options.words(spec.MODES)
)
@click.option(
    "--devices", "catalogue", multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with further GPUs ([[device]] tables); may be given again.",
)  # fmt: skip
@click.option(
    "--target", default=cards.TARGET, show_default=True, type=click.IntRange(1),
    help="The batch that strategies are advised for on each GPU.",
)  # fmt: skip
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where predict.json goes (by default REPO/.migrator).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the prediction as JSON.")
def command(repo: Path, out: Path | None, as_json: bool, **given: Any) -> None:
    """Predict peak memory from traced graphs, and the largest batch that fits each GPU.

    Runs no step: the model is built and traced in a child process, on this machine's processor, for
    GPUs that need not be here. Writes predict.json, which `migrator report` shows.
    """
    errors = console.stderr()
    options.need_tensorflow()
    with tempfile.TemporaryDirectory(prefix="migrator-predict-") as scratch:
        try:
            known = devices.load(given["catalogue"])
            every = options.workloads(
                repo, given["file"], (), given["model"], given["inputs"], given["modes"],
                given["kwargs"], given["loss"], 900.0, False,
            )  # fmt: skip
            root = repo
            if not given["model"]:
                root = sides.resolve(repo, None, given["after"], Path(scratch)).after
        except (spec.SpecError, sides.SidesError, devices.CatalogueError) as error:
            raise exits.UsageExit(str(error)) from error
        found = tuple(w for w in every if w.mode in given["modes"])
        results = outputs.folder(repo, out)
        with console.progress("tracing", as_json) as step:

            def progress(what: str, done: int, total: int) -> None:
                step(done, total, what)

            made = forecast.run(
                root, found, results, given["batches"], given["precisions"], progress
            )
    if not made.forecasts:
        raise exits.UsageExit(
            f"{repo}: nothing to predict; give --model, or describe a workload in {spec.SPEC_FILE}"
        )
    if as_json:
        click.echo(to_json(made))
        return
    _print(made, known, given["target"])
    errors.print(f"Raw results: {results / 'predict.json'}")


def _print(
    made: forecast.Forecasts, catalogue: tuple[devices.Device, ...], target: int
) -> None:  # fmt: skip
    peaks = Table(box=box.SIMPLE_HEAD)
    for column in ("workload", "mode", "precision", "batch", "peak", "between"):
        peaks.add_column(column, justify="right" if column in ("batch", "peak") else "left")
    for f in made.forecasts:
        for p in f.points:
            base = f.weights + f.slots + p.inputs
            peaks.add_row(
                f.workload, f.mode, f.precision, str(p.batch), text.size(f.peak(p)),
                f"{text.size(base + p.low)} … {text.size(base + p.high)}",
            )  # fmt: skip
        if f.status != "ok":
            last = (f.detail.splitlines() or ["no output"])[-1]
            console.echo(f"{f.workload}, {f.mode}, {f.precision}: {text.status(f.status)}: {last}", err=True)
    out = console.stdout(wrap=True)
    out.print(peaks)
    found = cards.loads(None, made)
    for table in cards.tables(found, catalogue, target) if found else ():
        if table is None:
            continue
        shown = Table(title=table.title, box=box.SIMPLE_HEAD)
        for number, column in enumerate(table.columns):
            shown.add_column(column, justify="right" if number in table.numeric else "left")
        for row in table.lines:
            shown.add_row(*row.cells)
        out.print(shown)
