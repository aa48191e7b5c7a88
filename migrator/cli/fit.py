"""`migrator measure fit`: the largest batch that runs, found by running."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

from migrator.cli import console, exits, measure_print, outputs
from migrator.cli import measure_options as options
from migrator.cli.groups import Command
from migrator.measure import fit, matrix, records, runner
from migrator.model import to_json, to_jsonable
from migrator.project.tree import write_named
from migrator.workload import sides, spec


@click.command(
    "fit",
    cls=Command,
    advanced=("--threads", "--execution", "--strategy", "--first", "--most", "--kwarg", "--loss"),
    epilog="""\b
Examples:
  migrator measure fit .                                        on this machine's GPU
  migrator measure fit . --limit-mib 4096                       what fits where the allocator has 4 GiB
  migrator measure fit . --memory 8G                            what fits into 8 GiB of resident memory
  migrator measure fit . --modes training --precision mixed_float16 --strategy accumulate:4
  migrator measure fit . --model nets.yolo:build --input 1x416x416x3 --limit-mib 8192
""",
)
@click.argument("repo", type=options.DIRECTORY)
@options.with_workloads
@click.option("--limit-mib", type=click.IntRange(min=1), metavar="MIB",
              help="Give the device's allocator this much (on a CPU: the same allocator).")  # fmt: skip
@click.option("--modes", default="training", show_default=True,
              callback=options.words(spec.MODES))  # fmt: skip
@click.option("--side", type=click.Choice(("before", "after")), default="after", show_default=True)
@click.option("--execution", type=click.Choice(("eager", "function", "xla")), default="function",
              show_default=True)  # fmt: skip
@click.option("--precision", type=click.Choice(records.PRECISIONS), default="float32",
              show_default=True)  # fmt: skip
@click.option("--strategy", default="", callback=options.strategy_words,
              help="One of measure's strategies, such as accumulate:4.")  # fmt: skip
@click.option("--first", type=click.IntRange(min=1), default=1, show_default=True,
              help="The batch size to begin with.")  # fmt: skip
@click.option("--most", type=click.IntRange(min=1), default=4096, show_default=True,
              help="The largest batch size to try.")  # fmt: skip
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path),
    help="Where fit.json goes (by default REPO/.migrator).",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(repo: Path, **given: Any) -> None:
    """Find the largest batch of REPO's workloads that runs here, each try in a process of its own.

    Without a GPU there must be a limit: --limit-mib puts the allocator that GPUs use before the
    processor's memory, --memory watches the whole process. Writes fit.json. Runs the repository's
    code.
    """
    from migrator.measure.environment import gpus

    options.need_tensorflow(given["side"] == "before" and bool(given["tf1_python"]))
    if not given["limit_mib"] and not given["memory"] and not gpus():
        raise click.UsageError("there is no GPU here: give --limit-mib or --memory")
    if len(given["strategy"]) > 1:
        raise click.UsageError("give one strategy")
    strategy = given["strategy"][0] if given["strategy"] else ""
    settings = runner.Settings(
        threads=given["threads"], timeout=given["timeout"], memory_limit=given["memory"],
        tf1_python=given["tf1_python"],
    )  # fmt: skip
    _, _, parts = strategy.partition("accumulate:")
    execution = "graph_session" if given["side"] == "before" else given["execution"]
    found: list[fit.Fit] = []
    problems: list[str] = []
    with tempfile.TemporaryDirectory(prefix="migrator-fit-") as scratch:
        try:
            workloads = options.workloads(
                repo, given["workloads"], (), given["model"], given["inputs"], given["modes"],
                given["kwargs"], given["loss"], given["timeout"], False,
            )  # fmt: skip
            pair = sides.resolve(repo, given["before"], given["after"], Path(scratch))
        except (spec.SpecError, sides.SidesError) as error:
            raise exits.UsageExit(str(error)) from error
        chosen = [
            w for w in workloads if w.kind in matrix.MEASURED and w.mode in given["modes"]
        ]
        if not chosen:
            raise exits.UsageExit(f"{repo}: nothing to run: no workload in mode {', '.join(given['modes'])}")
        root = pair.before if given["side"] == "before" else pair.after
        for workload in chosen:
            try:
                found.append(fit.run(
                    workload, root, side=given["side"], execution=execution,
                    precision=given["precision"], strategy=strategy,
                    limit=(given["limit_mib"] or 0) * 2**20, most=given["most"],
                    first=given["first"], multiple=int(parts or 1), settings=settings,
                    progress=lambda t: console.echo(measure_print.tried(t), err=True),
                ))  # fmt: skip
            except fit.FitError as error:
                problems.append(str(error))
    out = outputs.folder(repo, given["out"])
    text = to_json(to_jsonable(found))
    write_named(out / "fit.json", text)
    if given["as_json"]:
        click.echo(text)
    else:
        for one in found:
            measure_print.fit(one)
    for problem in problems:
        console.echo(problem, err=True)
    if not found:
        raise click.exceptions.Exit(exits.CHANGES)
