"""`migrator rules test` and `migrator rules new`: for those who write rule packs of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import numpy as np

from migrator.cli import console, exits
from migrator.cli.doctor import tf1_python
from migrator.engine.installed import installed
from migrator.engine.pack_cases import HEAD, Outcome, check
from migrator.engine.packs import PackError
from migrator.resources import rules_dir, templates_dir

TIMEOUT = 600.0  # seconds, for all cases of a pack on one TensorFlow
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def packs_of(pack: str) -> tuple[Path, ...]:
    """A pack's files: PACK is a file, a folder of them, or the name of an installed pack.

    Ends the command with code 2 where there is none.
    """
    path = Path(pack)
    if path.is_file():
        return (path,)
    if path.is_dir():
        found = tuple(sorted(path.rglob("*.toml")))
        found = tuple(p for p in found if p.name != "pyproject.toml")
    else:
        try:
            found = next((item.packs for item in installed() if item.name == pack), ())
        except PackError as error:
            raise exits.UsageExit(str(error)) from error
    if not found:
        raise exits.UsageExit(f"{pack}: no pack file, folder with packs, or installed pack")
    return found


@click.command(
    "test",
    epilog="""\b
Examples:
  migrator rules test my_rules.toml          each case's before becomes its after
  migrator rules test my-pack --run          and both compute the same

\b
Exit codes: 0 all cases hold, 1 one does not, 2 the pack cannot be read
""",
)
@click.argument("pack")
@click.option("--run", "run_them", is_flag=True,
              help="Also run the cases on TensorFlow 2, and before on TensorFlow 1 where "
              "MIGRATOR_TF1_PYTHON names one. Runs the pack's code.")  # fmt: skip
@click.pass_context
def test(ctx: click.Context, pack: str, run_them: bool) -> None:
    """Test the rules of PACK with their own cases: a file, a folder, or an installed pack."""
    try:
        outcomes = list(check(packs_of(pack)))
    except PackError as error:
        raise exits.UsageExit(str(error)) from error
    problems = {o.name: o.problem for o in outcomes if o.problem}
    if run_them:
        for name, problem in _numbers([o for o in outcomes if not o.problem]).items():
            problems.setdefault(name, problem)
    out = console.stdout()
    for outcome in outcomes:
        problem = problems.get(outcome.name, "")
        mark = ("failed", "bold red") if problem else ("ok", "green")
        out.print(console.styled(mark, f"  {outcome.name}: {outcome.rule.title}"))
        for line in problem.splitlines():
            out.print(console.styled(f"      {line}"))
    out.print(f"{len(outcomes) - len(problems)} of {len(outcomes)} hold")
    ctx.exit(1 if problems or not outcomes else exits.OK)


def _numbers(outcomes: list[Outcome]) -> dict[str, str]:
    """What is wrong with the results of cases, by their name."""
    new = {f"{o.name} output": o.output for o in outcomes if o.case}
    new |= {f"{o.name} after": HEAD + o.case.after for o in outcomes if o.case}
    got = _run(sys.executable, new)
    python = tf1_python()
    old = {o.name: HEAD + o.case.before for o in outcomes if o.case} if python else {}
    reference = _run(python, old) if python else {}
    found: dict[str, str] = {}
    for outcome in outcomes:
        case = outcome.case
        if case is None:
            continue
        tolerance = 1e-6 if case.tolerance is None else case.tolerance
        for kind in ("output", "after"):
            value = got[f"{outcome.name} {kind}"]
            problem = value.get("error", "")
            if not problem and outcome.name in reference:
                problem = _difference(reference[outcome.name], value, tolerance)
            elif not problem and "expected" in case.extra:
                wanted = np.asarray(case.extra["expected"])
                problem = _difference(
                    {"shape": list(wanted.shape), "values": wanted.ravel().tolist()}, value, tolerance
                )
            if problem:
                found.setdefault(outcome.name, f"{kind}: {problem}")
    return found


def _run(python: str, sources: dict[str, str]) -> dict[str, Any]:
    """Results by name, of all sources in one process. Ends the command with code 2 on trouble."""
    with tempfile.TemporaryDirectory(prefix="migrator-rules-") as scratch:
        folder = Path(scratch)
        (folder / "tf1_support").symlink_to(templates_dir() / "support")
        cases = {name: {"source": text, "weights": False} for name, text in sources.items()}
        (folder / "cases.json").write_text(json.dumps(cases))
        out = folder / "out.json"
        environment = {
            **os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1",
            "PYTHONPATH": os.pathsep.join(
                filter(None, [scratch, os.environ.get("PYTHONPATH", "")])
            ) if python == sys.executable else "",
        }  # fmt: skip
        program = rules_dir() / "tools" / "run_cases.py"
        try:
            done = subprocess.run(
                [python, program, folder / "cases.json", out], env=environment, cwd=scratch,
                timeout=TIMEOUT,
                capture_output=True, text=True, stdin=subprocess.DEVNULL,
            )  # fmt: skip
            results: dict[str, Any] = json.loads(out.read_text())["results"]
        except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            tail = done.stderr.strip().splitlines()[-1:] if "done" in locals() else []
            why = console.safe(" ".join([str(error), *tail]))
            raise exits.UsageExit(f"the cases cannot be run with {python}: {why}") from error
    return results


def _difference(want: dict[str, Any], got: dict[str, Any], tolerance: float) -> str:
    """What differs between two results of run_cases.py; empty for nothing."""
    if "error" in want:
        return f"before fails on TensorFlow 1: {want['error']}"
    if "list" in want or "dict" in want:
        kind = "list" if "list" in want else "dict"
        if kind not in got or len(want[kind]) != len(got[kind]):
            return f"{want} became {got}"
        pairs = (
            zip(want["list"], got["list"], strict=True) if kind == "list"
            else ((value, got["dict"].get(key, {})) for key, value in want["dict"].items())
        )  # fmt: skip
        return next((d for d in (_difference(a, b, tolerance) for a, b in pairs) if d), "")
    if want["shape"] != got.get("shape"):
        return f"shape {want['shape']} became {got.get('shape')}"
    if want.get("dtype", got["dtype"]) != got["dtype"]:
        return f"{want['dtype']} became {got['dtype']}"
    if got["dtype"] == "string":
        return "" if want["values"] == got["values"] else f"{want['values']} became {got['values']}"
    close = np.allclose(want["values"], got["values"], rtol=tolerance, atol=tolerance, equal_nan=True)
    return "" if close else f"{want['values']} became {got['values']} (tolerance {tolerance:g})"


@click.command("new")
@click.argument("name")
@click.option("--in", "parent", default=".", help="Where the folder is made.",
              type=click.Path(exists=True, file_okay=False, path_type=Path))  # fmt: skip
def new(name: str, parent: Path) -> None:
    """Write the skeleton of a rule pack NAME that can be installed: one rule with a case, and
    what makes migrator find it."""
    if not _NAME.fullmatch(name):
        raise exits.UsageExit(f"{name!r} must be lower-case letters, digits and underscores")
    target = parent / f"migrator-rules-{name.replace('_', '-')}"
    if target.exists():
        raise exits.UsageExit(f"{target} exists already")
    source = templates_dir() / "rulepack"
    for path in sorted(source.rglob("*.in")):
        place = target / str(path.relative_to(source)).replace("NAME", name).removesuffix(".in")
        place.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        place.write_text(text.replace("@NAME@", name), encoding="utf-8")
    console.echo(f"{target}: now try `migrator rules test {target}`")
