"""Measures whole programs of a repository, unmodified, under a probe that is injected from outside."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import migrator
from migrator.measure.jobs import PROGRAMS, Outcome, Settings
from migrator.measure.records import Cell
from migrator.project.paths import STATE_FOLDER
from migrator.workload import child
from migrator.workload.spec import Workload

COMPAT_RUNTIME = Path(migrator.__file__).parent / "workload" / "compat_runtime.py"
POINTS = 500
_SHIM = '#!/bin/sh\nexec {python} "$@"\n'


def cells(workloads: Sequence[Workload], sides: Sequence[str]) -> tuple[Cell, ...]:
    """A cell for each command and side."""
    return tuple(
        Cell(w.name, side, "command", "float32", w.mode, w.batch)
        for w in workloads if w.kind == "command" for side in sides
    )  # fmt: skip


def _shims(folder: Path, python: str) -> Path:
    """A folder for the front of PATH whose `python`s are the interpreter of this side.

    Scripts, not links: an interpreter finds its virtual environment by the place it is called at.
    """
    folder.mkdir()
    version = "3.7" if python != sys.executable else f"3.{sys.version_info.minor}"
    for name in ("python", "python3", f"python{version}"):
        path = folder / name
        path.write_text(_SHIM.format(python=shlex.quote(python)), encoding="utf-8")
        path.chmod(0o755)
    return folder


def _environment(
    workload: Workload, side: str, folder: Path, settings: Settings
) -> dict[str, str]:
    """The caller's own environment with the probe in front of PYTHONPATH."""
    python = settings.tf1_python if side == "before" and settings.tf1_python else sys.executable
    env = child.quiet_environment(workload.env)
    path = [str(PROGRAMS / "site_hook"), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    env["PYTHONPATH"] = os.pathsep.join(path)
    env["PATH"] = os.pathsep.join([str(_shims(folder / "bin", python)), env.get("PATH", "")])
    env["TF_CPU_ALLOCATOR_USE_BFC"] = "true"
    env["PYTHONUNBUFFERED"] = "1"  # the last lines of a program that is killed
    env["MIGRATOR_PROBE"] = str(PROGRAMS / "command_probe.py")
    env["MIGRATOR_PROBE_OUT"] = str(folder / "probe")
    if side == "before" and not settings.tf1_python:
        env["MIGRATOR_PROBE_COMPAT"] = str(COMPAT_RUNTIME)
    return env


def command_line(workload: Workload, out: Path) -> list[str]:
    """The shell command with its placeholders replaced; line ends count as blanks."""
    text = " ".join(workload.command.split())
    for hole, value in (
        ("{python}", "python"), ("{out}", shlex.quote(str(out))), ("{batch}", str(workload.batch)),
    ):  # fmt: skip
        text = text.replace(hole, value)
    return ["/bin/sh", "-c", text]


def execute(
    workload: Workload, side: str, root: Path, settings: Settings, in_place: bool = False
) -> Outcome:
    """Runs the command once on the tree at root, by default on a copy of it.

    What earlier runs wrote (checkpoints that a program takes up again) would change what is
    measured, and the repository is the user's: so each run has a tree of its own.
    """
    with tempfile.TemporaryDirectory(prefix="migrator-run-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "probe").mkdir()
        (folder / "out").mkdir()
        tree = root
        if not in_place:
            tree = folder / (root.resolve().name or "tree")
            ignored = shutil.ignore_patterns(".git", STATE_FOLDER, "__pycache__")
            shutil.copytree(root, tree, symlinks=True, ignore=ignored)
        env = _environment(workload, side, folder, settings)
        timeout = min(settings.timeout, workload.timeout, workload.stop or float("inf"))
        ended = child.run(
            command_line(workload, folder / "out"), tree, env, timeout, settings.memory_limit,
            sampled=True,
        )  # fmt: skip
        states = _states(folder / "probe")
        errors = folder / "probe" / "probe_error.txt"
        problem = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
    stopped = ended.status == "timeout" and timeout == workload.stop
    raw = sample(ended, states, workload, problem)
    if stopped:  # how long it ran was chosen
        raw = {**raw, "wall": [], "cpu": [], "extra": {**raw["extra"], "stopped": timeout}}
    if ended.ok or stopped:
        return Outcome(raw)
    lines = [line for line in ended.tail.splitlines() if line.strip()]
    said = {
        "timeout": f"stopped after {timeout:g} s",
        "killed": f"killed by signal {-ended.returncode}",
        "oom": "out of memory",
    }.get(ended.status, f"exit code {ended.returncode}")
    return Outcome(raw, ended.status, "\n".join([*lines[-12:], said]))


def _states(folder: Path) -> list[dict[str, Any]]:
    """What the processes left, those with the largest allocator first."""
    found = []
    for path in folder.glob("*.json"):
        try:
            found.append(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            continue
    return sorted(found, key=lambda s: (s["peak"] or 0, s["rss_peak"]), reverse=True)


def sample(
    ended: child.Outcome, states: list[dict[str, Any]], workload: Workload, problem: str
) -> dict[str, Any]:
    """A `records.Sample` as a dict: wall and cpu are of the whole run, peaks of the process whose
    allocator held most; the others stand in extra["processes"]."""
    first = states[0] if states else {}
    peak = first.get("peak")
    return {
        "phases": first.get("phases", []), "weights": 0, "slots": 0, "inputs": 0,
        "steady_peaks": [peak] if peak is not None else [],
        "steady_in_use": first.get("in_use"), "wall": [ended.seconds],
        "cpu": [sum(s["cpu"] for s in states)], "traces": _traces(first),
        "extra": {
            "command": workload.command, "tensorflow": first.get("tensorflow"),
            "calls": first.get("calls", {}), "rss_peak": ended.rss_peak,
            "rss_timeline": [list(p) for p in _thin(list(ended.memory))],
            "timeline": _thin(first.get("timeline", [])),
            "growth": growth(first.get("timeline", [])),
            "probe_overhead": sum(s["overhead"] for s in states),
            "processes": [
                {k: s[k] for k in ("pid", "parent", "argv", "forked", "final", "seconds", "cpu",
                                   "peak", "in_use", "rss_peak", "overhead")}
                for s in states[:50]
            ],
            **({"probe_error": problem[-2000:]} if problem else {}),
        },
    }  # fmt: skip


def _traces(state: dict[str, Any]) -> int | None:
    counts = [c["traces"] for c in state.get("calls", {}).values() if c.get("traces") is not None]
    return max(counts) if counts else None


def _thin(points: list[Any], most: int = POINTS) -> list[Any]:
    """At most `most` points, each stretch kept by the one whose second value is largest."""
    width = max(1, -(-len(points) // most))
    return [
        max(points[i : i + width], key=lambda p: p[1] or 0) for i in range(0, len(points), width)
    ]


def growth(timeline: list[Any]) -> dict[str, float] | None:
    """Bytes a second by which memory grew over the second half of a run: a leak, if it goes on.

    timeline: (seconds, allocator bytes or None, resident bytes). None for less than 20 points.
    """
    half = timeline[len(timeline) // 2 :]
    if len(timeline) < 20 or half[-1][0] - half[0][0] <= 0:
        return None
    quarter = max(1, len(half) // 4)

    def middle(points: list[Any], column: int) -> float:
        values = sorted(p[column] or 0 for p in points)
        return float(values[len(values) // 2])

    seconds = half[-quarter // 2][0] - half[quarter // 2][0]
    if seconds <= 0:
        return None
    return {
        name: (middle(half[-quarter:], column) - middle(half[:quarter], column)) / seconds
        for name, column in (("in_use", 1), ("rss", 2))
    }
