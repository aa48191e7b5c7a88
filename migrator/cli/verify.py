"""`migrator verify`: whether the migrated program computes what the original computes."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
from rich import box
from rich.table import Table

from migrator import verify
from migrator.cli import console, exits, outputs
from migrator.model import to_json
from migrator.project.tree import write_named
from migrator.verify.children import Side
from migrator.verify.records import Check, Status, Verification
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
  migrator verify .                                the workloads of migrator.toml; without one:
                                                   imports, --help, unit tests, model files
  migrator verify . --only "unit tests"            one of them
  migrator verify . --run "python train.py --steps 3"   a command, before and after
  migrator verify . --prepare "python train.py" --run "python eval.py"
                                                   what the original wrote is there for both
  migrator verify --before old --after new .       two trees that you have already
  migrator verify . --before v1.0                  in a clone of the migrated branch
  migrator verify . --tf1-python ~/tf1/bin/python  compare with this TensorFlow 1.15

\b
Exit codes:
  0  everything that was compared is equal
  1  something differs or failed
  2  wrong usage or configuration, or nothing could be compared
""",
)
@click.argument("repo", type=_FOLDER)
@click.option(
    "--before", metavar="FOLDER|REVISION",
    help="The TF1 tree: a folder, or a git revision of REPO (by default: what the repository was before "
    "its migration, by migrator's journal or git's history).",
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
    "--run", "runs", multiple=True, metavar="COMMAND",
    help="A command to run in working copies of both trees, comparing all that it prints and writes; "
    "may be repeated: what one writes is there for the next.",
)  # fmt: skip
@click.option(
    "--prepare", multiple=True, metavar="COMMAND",
    help="A command to run before those, on the original only: both copies get what it writes (data, "
    "a checkpoint). May be repeated.",
)  # fmt: skip
@click.option(
    "--python", default="", metavar="PYTHON",
    help="The interpreter with TensorFlow 2 for the migrated tree (by default migrator's own).",
)  # fmt: skip
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
    repo: Path, before: str | None, after: Path | None, workloads: Path | None,
    only: tuple[str, ...], runs: tuple[str, ...], prepare: tuple[str, ...], python: str,
    tf1_python: str, timeout: float | None, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Run REPO before and after its migration and compare the numbers.

    Compares forward outputs, losses, gradients, training steps, checkpoints, frozen graphs and unit
    tests, on the same weights and inputs, in child processes. Writes verify.json, which
    `migrator report` shows. Runs the repository's code.
    """
    errors = console.stderr()
    with tempfile.TemporaryDirectory(prefix="migrator-verify-") as scratch:
        try:
            reference = verify.find_reference(tf1_python)
            folder = Path(before) if before is not None and Path(before).is_dir() else None
            revision = before if before is not None and folder is None else ""
            pair = sides.resolve(repo, folder, after, Path(scratch), revision=revision)
            described, missing = _described(
                pair, workloads or repo / spec.SPEC_FILE, runs, prepare, python
            )
            found = _chosen(described, only, repo)
        except (spec.SpecError, sides.SidesError, verify.ReferenceError) as error:
            raise exits.UsageExit(console.safe(str(error))) from error
        if pair.revision:
            errors.print(console.styled(f"Before: git revision {pair.revision[:12]}"))
        if lacking := sides.lacking_package(pair.after, python):
            errors.print(console.styled(("note: ", "yellow"), console.safe(lacking)))
        if reference.side != "tf1":
            errors.print(console.styled(
                ("Comparing with ", "yellow"), (reference.title, "yellow"), f": {reference.why}"
            ))  # fmt: skip
        with console.progress("verifying", quiet=as_json) as step:

            def progress(workload: Workload, done: int, total: int, what: str) -> None:
                step(done, total, f"{workload.name}: {what}" if what else workload.name)

            verified = verify.run(
                pair.before, pair.after, found, reference, verify.Settings(timeout, python),
                progress,
            )  # fmt: skip
    if pair.revision:
        environment = {**verified.environment, "before": f"git revision {pair.revision}"}
        verified = dataclasses.replace(verified, environment=environment)
    if not only:
        verified = dataclasses.replace(verified, checks=(*verified.checks, *missing))
    results = outputs.folder(repo, out)
    path = _write(results, verified)
    if as_json:
        click.echo(to_json(verified))
    else:
        _print(verified)
        errors.print(console.styled(f"Raw results: {path}"))
    if not (verified.ok or verified.bad):
        raise exits.UsageExit("nothing could be compared: each check says why")
    raise click.exceptions.Exit(exits.OK if verified.ok else exits.CHANGES)


def _described(
    pair: sides.Sides, file: Path, runs: Sequence[str], prepare: Sequence[str], python: str
) -> tuple[tuple[Workload, ...], tuple[Check, ...]]:
    """(workloads, what is left out and why): of the command line, else of the workload file, else
    what a repository without one has by itself."""
    named = _commands(runs, prepare) or tuple(w for w in spec.load(file) if not w.found)
    if named:
        return named, ()
    by_itself = verify.found.find(pair.before, Side.after(pair.after, python))
    return by_itself.workloads, by_itself.missing


def _commands(runs: Sequence[str], prepare: Sequence[str]) -> tuple[Workload, ...]:
    """The workloads of --prepare and --run, called by what they run."""
    found: list[Workload] = []
    for text, carried in (*((p, True) for p in prepare), *((r, False) for r in runs)):
        name = " ".join(text.split())
        same = sum(w.command == text for w in found)
        found.append(
            Workload(f"{name} ({same + 1})" if same else name, "command", command=text, carried=carried)
        )
    return tuple(found)


def _chosen(found: tuple[Workload, ...], only: tuple[str, ...], repo: Path) -> list[Workload]:
    """The workloads to run. Raises SpecError if there is none, or none of a given name."""
    names = [w.name for w in found]
    unknown = [n for n in only if n not in names]
    if unknown:
        raise spec.SpecError(f"no workload {unknown[0]!r}; there are: {', '.join(names) or 'none'}")
    if not found:
        raise spec.SpecError(
            f"{repo}: there is no Python module in it, and nothing else to compare"
        )
    return [w for w in found if not only or w.name in only]


def _write(folder: Path, verified: Verification) -> Path:
    path = folder / RESULT
    write_named(path, to_json(verified))
    return path


def _number(value: float | None) -> str:
    return "" if value is None else "0" if value == 0 else f"{value:.1e}"


def _print(verified: Verification) -> None:
    out = console.stdout()
    table = Table(box=box.SIMPLE_HEAD, title=console.styled(f"Compared with {verified.reference}"))
    for column in ("workload", "check", "result", "difference", "allowed", "what was compared"):
        right = column in ("difference", "allowed")
        table.add_column(column, justify="right" if right else "left")
    last = ""
    for c in verified.checks:
        first = (c.detail.splitlines() or [""])[0]
        cells: tuple[tuple[str, str] | str, ...] = (
            c.workload if c.workload != last else "", c.name, (c.status.value, _STYLES[c.status]),
            _number(c.difference), _number(c.tolerance), first,
        )  # fmt: skip
        table.add_row(*(console.styled(cell) for cell in cells))
        last = c.workload
    out.print(table)
    for c in verified.checks:
        if c.status is not Status.EQUAL and "\n" in c.detail:
            out.print(console.styled((f"{c.workload}, {c.name}", "bold")))
            for line in c.detail.splitlines():
                out.print(console.styled("  " + line))
    counts = [f"{verified.count(s)} {s.value}" for s in Status if verified.count(s)]
    out.print(", ".join(counts) or "no checks")
