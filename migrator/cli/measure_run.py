"""`migrator measure REPO`: memory and speed before and after, over batch sizes, precision and XLA."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from migrator.cli import console, exits, measure_print, outputs
from migrator.cli import measure_options as options
from migrator.cli.groups import Command
from migrator.measure import commands, environment, matrix, records, runner, tune
from migrator.measure import found as found_by_itself
from migrator.measure.records import Cell, Measurement
from migrator.model import to_json, to_jsonable
from migrator.project.tree import text_of
from migrator.verify import found as verifiable
from migrator.verify.children import Side
from migrator.workload import models, sides, spec
from migrator.workload.spec import Workload

ADVANCED = (
    "--allocators", "--strategies", "--fresh", "--repeats", "--budget", "--steps", "--trace", "--tune",
    "--max-difference", "--write", "--engine", "--address", "--accelerators", "--in-place", "--threads",
    "--memory", "--modes", "--sides", "--executions", "--precisions", "--commands", "--kwarg", "--loss",
)  # fmt: skip


@click.command(
    "run",
    cls=Command,
    advanced=ADVANCED,
    epilog="""\b
Examples:
  migrator measure .                                     the workloads of migrator.toml
  migrator measure . --programs                          what of its programs runs without arguments
  migrator measure . --run "python detect.py a.png"      a whole program, before and after
  migrator measure . --model nets.yolo:build --input 1x416x416x3 --batches 1,16,32
  migrator measure . --model export/frozen.pb            a frozen graph; or .keras, .h5, a SavedModel
  migrator measure . --strategies all                    accumulation, recomputation, TFLite, pruning …
  migrator measure . --tune memory --write               pick what measured best, and write it down
  migrator measure . --allocators default,growth,cuda_malloc_async
  migrator measure . --trace traces                      for TensorBoard, XProf and chrome://tracing
  migrator measure . --engine ray --address auto         on each kind of GPU of a Ray cluster
  migrator measure --before old --after new .            two trees that you have already
""",
)
@click.argument("repo", type=options.DIRECTORY)
@options.with_workloads
@click.option(
    "--run", multiple=True, metavar="COMMAND",
    help="A command of the repository to run under the probe, unmodified, before and after.",
)  # fmt: skip
@click.option("--commands", "described", is_flag=True,
              help="Also measure the commands that migrator.toml describes.")  # fmt: skip
@click.option("--programs", "tries", is_flag=True,
              help="Where nothing is described: try what programs REPO has, in copies of it.")  # fmt: skip
@click.option("--in-place", is_flag=True,
              help="Run commands in the trees themselves, not in copies of them.")  # fmt: skip
@click.option("--batches", callback=options.ints, metavar="SIZES",
              help="Batch sizes with commas.  [default: 1,8, or the one of --input]")  # fmt: skip
@click.option("--executions", default="eager,function,xla", show_default=True,
              callback=options.words(("eager", "function", "xla")))  # fmt: skip
@click.option("--precisions", default="float32,mixed_float16,mixed_bfloat16", show_default=True,
              callback=options.words(records.PRECISIONS))  # fmt: skip
@click.option("--modes", default="inference,training", show_default=True,
              callback=options.words(spec.MODES))  # fmt: skip
@click.option("--sides", "wanted", default="before,after", show_default=True,
              callback=options.words(("before", "after")))  # fmt: skip
@click.option("--allocators", default="default", show_default=True, callback=options.allocators,
              help="Of default, growth, limit:SIZE, cuda_malloc_async, with commas.")  # fmt: skip
@click.option("--strategies", default="", callback=options.strategy_words, metavar="WORDS",
              help="all, or of accumulate:N, recompute, swap:BACKBONE, variant:NAME, tflite:KIND, "
              "qat, prune, cluster.")  # fmt: skip
@click.option("--fresh", is_flag=True,
              help="Import TensorFlow in each process, in the place of once for all cells.")  # fmt: skip
@click.option("--repeats", default=3, show_default=True, help="Processes for each cell.")
@click.option("--budget", default="9m", show_default=True, callback=options.duration,
              help="Begin no repetition after this time; every cell runs once (0: no limit).")  # fmt: skip
@click.option("--steps", default=10, show_default=True,
              help="Measured steps in each process; fewer, but three, where they take long.")  # fmt: skip
@click.option("--trace", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Keep a profile and a Chrome trace of live bytes for each cell.")  # fmt: skip
@click.option("--tune", type=click.Choice(tune.OBJECTIVES), help="Pick what measured best.")
@click.option("--max-difference", default=0.01, show_default=True,
              help="By how much outputs may differ for --tune, relative to the largest.")  # fmt: skip
@click.option("--write", is_flag=True,
              help="Write what --tune picked into migrator.toml and the migrated code.")  # fmt: skip
@click.option("--engine", type=click.Choice(("local", "ray")), default="local", show_default=True)
@click.option("--address", default="", help="Of the Ray cluster (by default one is started here).")
@click.option("--accelerators", default="", help="Only these kinds of the cluster, with commas.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path),
    help="Where results go (by default REPO/.migrator); finished cells are not repeated.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the measurement as JSON.")
def command(repo: Path, **given: Any) -> None:
    """Measure REPO before and after its migration.

    Every configuration runs in a fresh child process; one that dies or runs out of memory is a
    result like any other. Writes measure.json, which `migrator report` shows. Runs the repository's
    code. A run that was stopped goes on where it was when it is called again.
    """
    if given["write"] and not given["tune"]:
        raise click.UsageError("--write needs --tune")
    errors = console.stderr()
    options.need_tensorflow(bool(given["tf1_python"]) and given["wanted"] == ("before",))
    with tempfile.TemporaryDirectory(prefix="migrator-measure-") as scratch:
        try:
            found = options.workloads(
                repo, given["workloads"], given["run"], given["model"], given["inputs"],
                given["modes"], given["kwargs"], given["loss"], given["timeout"],
                given["described"],
            )  # fmt: skip
            pair = sides.resolve(repo, given["before"], given["after"], Path(scratch))
        except (spec.SpecError, sides.SidesError) as error:
            raise exits.UsageExit(str(error)) from error
        if lacking := sides.lacking_package(pair.after):
            errors.print(console.styled(("note: ", "yellow"), console.safe(lacking)))
        if not (given["run"] or given["model"] or options.described(repo, given["workloads"])):
            found = _by_itself(repo, pair, given, errors)
        measured, out = _measure(repo, pair, found, given, errors)
        choices: tuple[tune.Choice, ...] = ()
        if given["tune"]:
            choices = tune.choose(measured.cells, given["tune"], given["max_difference"])
            runner.replace(out / "tune.json", to_json(to_jsonable(list(choices))))
    if given["as_json"]:
        click.echo(to_json(measured))
    else:
        measure_print.results(measured.cells)
        measure_print.choices(choices)
        errors.print(f"Raw results: {out / 'measure.json'}")
        if given["trace"]:
            errors.print(f"Traces: tensorboard --logdir {given['trace']}")
    if given["write"]:
        _write(repo, given["after"] or repo, choices, errors)


def _by_itself(
    repo: Path, pair: sides.Sides, given: dict[str, Any], errors: Console
) -> tuple[Workload, ...]:
    """What there is to measure without a description, which is then written down for the next time."""
    settings = runner.Settings(memory_limit=given["memory"], tf1_python=given["tf1_python"])
    described, left = verifiable.models(pair.before, Side.after(pair.after), "batch")
    _, scripts, _, unreadable = verifiable.sources(pair.before)
    by_itself = found_by_itself.find(
        pair.before, pair.after, described, [s.path for s in scripts], given["tries"], settings,
        lambda line: errors.print(console.safe(line)),
    )  # fmt: skip
    unread = [(c.name, c.detail) for c in left if c.name != "Keras files"]
    unread += [(name, "Python 3 cannot read it as it was before the migration") for name in unreadable]
    for name, why in (*unread, *by_itself.missing):
        errors.print(console.styled(("not measured: ", "dim"), f"{name}: {why}"))
    if by_itself.workloads and not (repo / spec.SPEC_FILE).exists():
        outputs.write(repo / spec.SPEC_FILE, repo, found_by_itself.text(by_itself.workloads))
        errors.print(console.styled(f"What was found stands in {repo / spec.SPEC_FILE}."))
    return by_itself.workloads


def _measure(
    repo: Path, pair: sides.Sides, found: Sequence[Workload], given: dict[str, Any], errors: Console
) -> tuple[Measurement, Path]:
    """What was measured, and the folder that it lies in."""
    axes = matrix.Matrix(
        given["batches"] or _default_batches(given["inputs"]), given["executions"],
        given["precisions"], given["modes"], given["allocators"], given["wanted"],
        given["strategies"],
    )  # fmt: skip
    found = [w for w in found if w.kind != "tests"]
    unmoved = [w for w in found if w.kind == "model" and not _moved(w, pair)]
    cells = [
        c for c in matrix.cells(found, axes)
        if not (c.side == "before" and c.workload in {w.name for w in unmoved})
    ]  # fmt: skip
    programs = commands.cells(found, given["wanted"])
    if not cells and not programs:
        raise exits.UsageExit(
            f"{repo}: nothing to run; describe a workload in {spec.SPEC_FILE}, or name one: a program with "
            "its arguments (--run \"python train.py --data …\"), or what builds a model (--model; see "
            "docs/measuring.md)"
        )
    out = outputs.folder(repo, given["out"])
    settings = runner.Settings(
        repeats=given["repeats"], budget=given["budget"], steps=given["steps"],
        threads=given["threads"], timeout=given["timeout"], memory_limit=given["memory"],
        tf1_python=given["tf1_python"],
        trace_dir=str(given["trace"].resolve()) if given["trace"] else "", fresh=given["fresh"],
    )  # fmt: skip
    with console.progress("measuring", given["as_json"]) as step:

        def progress(cell: Cell, done: int, total: int) -> None:
            step(done, total, f"{cell.workload}, {cell.title}, batch {cell.batch}")

        if given["engine"] == "ray":
            if programs:
                raise click.UsageError("--run measures on this machine, not on a cluster")
            return _on_cluster(pair, found, out, axes, settings, progress, given), out
        whole: tuple[records.CellResult, ...] = ()
        if programs:
            whole = runner.run_commands(
                pair.before, pair.after, found, out, given["wanted"], settings, progress,
                given["in_place"],
            )  # fmt: skip
        if not cells:
            measured = Measurement(environment.describe(), whole, to_jsonable(settings))
        else:
            measured = runner.run(
                pair.before, pair.after, found, out, axes, settings, progress, cells, whole
            )
        runner.write(out, measured)
    return measured, out


def _on_cluster(
    pair: sides.Sides, found: Sequence[Workload], out: Path, axes: matrix.Matrix,
    settings: runner.Settings, progress: runner.Progress, given: dict[str, Any],
) -> Measurement:  # fmt: skip
    from migrator.measure import cluster

    wanted = [k for k in given["accelerators"].split(",") if k]
    try:
        return cluster.run(
            pair.before, pair.after, found, out, axes, settings, progress, given["address"], wanted
        )
    except cluster.RayError as error:
        raise click.ClickException(str(error)) from error


def _default_batches(inputs: Sequence[str]) -> tuple[int, ...]:
    given = models.batch_of(inputs)
    return (given,) if given else (1, 8)


def _moved(workload: Workload, pair: sides.Sides) -> bool:
    """Whether the migration changed the module of a builder: else both sides are the same program,
    and the one on TF 2 is what counts."""
    path = Path(*workload.call.partition(":")[0].split("."))
    for root in workload.roots:
        for name in (path.with_suffix(".py"), path / "__init__.py"):
            module = (Path(root) / name).as_posix()
            old, new = text_of(pair.before, module), text_of(pair.after, module)
            if old is not None and new is not None:
                return old != new
    return False


def _write(repo: Path, after: Path, choices: Sequence[tune.Choice], errors: Console) -> None:
    """Writes the choice down: settings into the workload file, the precision into the code."""
    if not choices:
        raise click.ClickException("nothing was picked, so nothing is written")
    tune.write_settings(repo / spec.SPEC_FILE, choices)
    errors.print(f"Written: {repo / spec.SPEC_FILE}")
    policy = tune.policy(choices)
    if policy in ("", "float32"):
        return
    from migrator.engine.options import Options
    from migrator.engine.plan import build_plan
    from migrator.project.apply import Refused, apply_plan

    try:
        plan = build_plan(after.resolve(), Options(precision=policy))
        if plan.changed:
            apply_plan(plan, allow_dirty=True)
    except (Refused, OSError) as error:
        raise click.ClickException(f"the code was not changed: {error}") from error
    for file in plan.changed:
        errors.print(f"Written: {after / file.path} ({policy})")
    errors.print(f"`migrator undo {after}` takes it back.")
