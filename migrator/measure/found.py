"""What can be measured of a repository that describes nothing: its model files, and the programs that run as
they are; and that as text for a workload file, in which a person corrects what was assumed."""

from __future__ import annotations

import ast
import dataclasses
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from migrator.measure import builders, commands, jobs, networks
from migrator.measure.builders import Candidate
from migrator.measure.jobs import Outcome, Settings
from migrator.measure.modules import Modules
from migrator.measure.records import Cell
from migrator.project.source import SourceError
from migrator.project.tree import read
from migrator.workload import models
from migrator.workload.spec import Input, Workload

TRIAL = 90.0  # seconds that a program may take to come to its steps, and that a long one is measured for
STEPS = 3  # calls of a session that show that a program works
_MOST = 8  # programs that are tried


@dataclass(frozen=True, slots=True)
class Found:
    """workloads: what can be measured. missing: (what cannot, why)."""

    workloads: tuple[Workload, ...]
    missing: tuple[tuple[str, str], ...]


def find(
    before: Path, after: Path, described: Sequence[Workload], scripts: Sequence[str], tries: bool,
    settings: Settings, told: Callable[[str], None],
) -> Found:  # fmt: skip
    """Looks for Keras files, functions that are called with placeholders and classes that make some, each of
    which is run once. With `tries`, runs the programs without arguments for up to TRIAL seconds each,
    in copies of the trees.

    described: model files as they say that they are run; scripts: paths of files that are programs.
    told: is called with what is being done.
    """
    made = [w for w in described if w.kind != "checkpoint"]
    made += [w for w in models.found(before, ("inference",)) if w.kind == "keras_file"]
    modules = Modules.of(before)
    candidates, missing = builders.find(modules)
    for network in networks.find(modules):
        if network.name.endswith(networks.GUESSED) or any("int" in i.dtype for i in network.inputs):
            told(f"building {network.name}")
            outcome = _once(network, before, settings)
            if outcome.raw is None:
                missing.append((network.name, _last_line(outcome)))
                continue
            network = dataclasses.replace(network, inputs=_limited(network.inputs, outcome.raw))
        made.append(network)
    for candidate in candidates:
        told(f"building {candidate.workload.name}")
        graph, why = _built(candidate, before, settings)
        if graph is not None:
            made.append(graph)
        else:
            missing.append((candidate.workload.name, why))
    scripts = list(_programs(before, scripts))
    if not tries:
        missing += [(s, "--programs tries it as it is") for s in scripts[:_MOST]]
        return Found(tuple(made), tuple(missing))
    for path in scripts[:_MOST]:
        told(f"trying {path} for up to {TRIAL:g} s")
        program, why = _tried(path, {"before": before, "after": after}, settings)
        if program is not None:
            made.append(program)
        else:
            missing.append((path, why))
    if len(scripts) > _MOST:
        missing.append((f"{len(scripts) - _MOST} more programs", f"only the first {_MOST} were tried"))
    return Found(tuple(dataclasses.replace(w, found=True) for w in made), tuple(missing))


def _once(workload: Workload, root: Path, settings: Settings) -> Outcome:
    """One step of it as it was, which shows that it can be built and run."""
    cell = Cell(workload.name, "before", "graph_session", "float32", workload.mode, 1)
    once = dataclasses.replace(
        settings, steps=1, warmups=0, trace=False, arena_bytes=0, timeout=min(settings.timeout, TRIAL)
    )
    return jobs.execute(jobs.Job(cell, workload, 0, once), root)


def _last_line(outcome: Outcome) -> str:
    return next((line for line in reversed(outcome.detail.splitlines()) if line.strip()), "")


def _built(candidate: Candidate, root: Path, settings: Settings) -> tuple[Workload | None, str]:
    """(the workload with its inputs as the placeholders say them, once it ran; why it cannot be measured)."""
    plain = candidate.workload
    outcome = _once(plain, root, settings)
    if outcome.raw is None:
        return None, _last_line(outcome)
    given = outcome.raw["extra"]["inputs"]
    if not given:
        return None, "it makes no placeholder"
    inputs = _limited(tuple(Input(**{**i, "shape": tuple(i["shape"])}) for i in given), outcome.raw)
    guessed = candidate.guessed or any(models.GUESS in i.shape for i in inputs)
    name = plain.name + networks.GUESSED * bool(guessed)
    return dataclasses.replace(plain, name=name, inputs=inputs), ""


def _limited(inputs: tuple[Input, ...], raw: Mapping[str, Any]) -> tuple[Input, ...]:
    """Inputs with the numbers that the graph takes of them: labels, words of a vocabulary."""
    limits = raw["extra"].get("limits", {})
    return tuple(dataclasses.replace(i, high=float(limits.get(i.name, i.high))) for i in inputs)


def _programs(root: Path, scripts: Sequence[str]) -> Iterator[str]:
    """Scripts that use TensorFlow or another module of the repository, those at the top first."""
    for script in sorted(scripts, key=lambda s: (s.count("/"), s)):
        here = PurePosixPath(script).parent
        for name in _imported(root, script):
            own = (f"{here / name}.py", str(here / name), f"{name}.py", name)
            if name in ("tensorflow", "keras") or any((root / p).exists() for p in own):
                yield script
                break


def _imported(root: Path, path: str) -> set[str]:
    """The first parts of what a file imports."""
    try:
        tree = ast.parse(read(root, path)[0])
    except (SourceError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {a.name.partition(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or ".").partition(".")[0] or ".")
    return found


def _tried(
    path: str, roots: dict[str, Path], settings: Settings
) -> tuple[Workload | None, str]:
    """(the program as a workload, or None; why it cannot be measured).

    A script in a folder is run there, too, with the top of the repository on its path: that is how many of
    them are meant. One that runs on one side only is measured: the other's end is a result.
    """
    lines = [f"python {shlex.quote(path)}"]
    folder, _, name = path.rpartition("/")
    if folder:
        up = "/".join([".."] * (folder.count("/") + 1))
        lines.append(f'cd {shlex.quote(folder)} && PYTHONPATH="{up}:$PYTHONPATH" python {shlex.quote(name)}')
    why: dict[str, None] = {}
    for line in lines:
        reasons: list[str] = []
        for side, root in roots.items():
            program = Workload(path, "command", command=line, stop=TRIAL)
            outcome = commands.execute(program, side, root, settings)
            if outcome.status == "ok" and _steps(outcome) >= STEPS:
                return program, ""
            reasons.append(_reason(outcome))
        why[reasons[0]] = None
    return None, "; in its folder: ".join(why)


def _steps(outcome: Outcome) -> int:
    calls = (outcome.raw or {}).get("extra", {}).get("calls", {})
    return max((int(c["count"]) for c in calls.values()), default=0)


def _reason(outcome: Outcome) -> str:
    if outcome.status == "ok":
        stopped = (outcome.raw or {}).get("extra", {}).get("stopped")
        return f"it came to no step within {TRIAL:g} s" if stopped else "it ends without a step"
    lines = [line.strip() for line in outcome.detail.splitlines() if line.strip()]
    return lines[-2] if len(lines) > 1 else "".join(lines)  # the last one is the exit code


def text(workloads: Sequence[Workload]) -> str:
    """Workloads as TOML, with what was assumed about each."""
    lines = [
        "# What `migrator measure` found here by itself. What stands here is measured from now on:",
        "# correct it, or delete a table; without any, everything is looked for again.",
    ]
    for w in workloads:
        lines += ["", *(f"# {line}" for line in _assumed(w)), "[[workload]]", f"name = {_value(w.name)}"]
        lines += [f"kind = {_value(w.kind)}", "found = true"]
        if w.mode != "inference":
            lines.append(f"mode = {_value(w.mode)}")
        for key in ("path", "call", "command", "stop", "fetches", "kwargs", "made"):
            value = getattr(w, key)
            if value:
                lines.append(f"{key} = {_value(value)}")
        if w.roots != (".",):
            lines.append(f"roots = {_value(w.roots)}")
        if w.inputs:
            lines += ["inputs = [", *(f"    {_input(i)}," for i in w.inputs), "]"]
    return "\n".join(lines) + "\n"


def _assumed(w: Workload) -> list[str]:
    if w.kind == "command":
        return [
            f"Runs without arguments, and is ended after {w.stop:g} s. To compare how long it takes, give it",
            "arguments that make it short, and take `stop` away.",
        ]
    if w.name.endswith(networks.GUESSED):
        tables = [w.made, w.kwargs]
        given = [v for table in tables for v in table.values()]
        tables += [v[k] for v in given if isinstance(v, dict) for k in ("namespace", "set") if k in v]
        named = [k for table in tables for k, v in table.items() if v == models.GUESS]
        named += [i.name for i in w.inputs if models.GUESS in i.shape and not named]
        asked = " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
        verb = "are" if len(named) > 1 else "is"
        return [f"How large {verb} {asked} here? Nothing says it: {models.GUESS} was taken."]
    if w.kind == "graph":
        return ["Made as the repository makes it, its inputs as its placeholders; values are drawn",
                "evenly from [low, high)."]  # fmt: skip
    if w.kind == "function":
        return ["Called as the repository calls it, its inputs as the placeholders there; values are drawn",
                "evenly from [low, high)."]  # fmt: skip
    if w.inputs:
        return ["Inputs as the file says them; values are drawn evenly from [low, high)."]
    return ["Inputs are those that the file says."]


def _input(given: Input) -> str:
    keys = ("name", "shape", "dtype", "low", "high")
    return "{ " + ", ".join(f"{k} = {_value(getattr(given, k))}" for k in keys) + " }"


def _value(value: object) -> str:
    """A string, number, list or table of them in TOML, whose basic strings take JSON's escapes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        lacking = [k for k, v in value.get("namespace", {}).items() if v is None]
        if lacking:  # TOML has no null
            known = {k: v for k, v in value["namespace"].items() if v is not None}
            value = {"namespace": known, "none": lacking}
        return "{ " + ", ".join(f"{_value(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, str):
        plain = value.encode("utf-8", "replace").decode()
        return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return repr(value)
