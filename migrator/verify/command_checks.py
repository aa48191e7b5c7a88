"""Checks of command workloads: a program is run on both sides, and the files it writes compared."""

from __future__ import annotations

import dataclasses
import json
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from migrator.verify import compare
from migrator.verify.children import (
    COMPAT_RUNTIME,
    PROGRAMS,
    Found,
    Side,
    environment,
    load_arrays,
    why,
)
from migrator.verify.model_checks import failure
from migrator.verify.records import Check, Status
from migrator.workload import child
from migrator.workload.spec import Workload

CHECKPOINT = ".index"
_NUMERIC = (".npz", ".npy", ".json", CHECKPOINT)


def command_line(workload: Workload, python: str, out: Path) -> list[str]:
    """The shell command with its placeholders replaced; line ends count as blanks."""
    interpreter = f"{shlex.quote(python)} {shlex.quote(str(PROGRAMS / 'verify_command.py'))}"
    text = " ".join(workload.command.split())
    for hole, value in (
        ("{python}", interpreter), ("{out}", shlex.quote(str(out))),
        ("{batch}", str(workload.batch)),
    ):  # fmt: skip
        text = text.replace(hole, value)
    return ["/bin/sh", "-c", text]


def run(workload: Workload, side: Side, out: Path) -> Found:
    """Runs the command once; what it writes is in `out`, and trace counts are among the facts."""
    out.mkdir()
    traces = out.with_name(out.name + ".traces.json")
    env = environment(workload, {
        "MIGRATOR_VERIFY_SIDE": side.name, "MIGRATOR_VERIFY_COMPAT": str(COMPAT_RUNTIME),
        "MIGRATOR_VERIFY_TRACES": str(traces),
    })  # fmt: skip
    argv = command_line(workload, side.python, out)
    outcome = child.run(argv, side.root, env, workload.timeout)
    if not outcome.ok:
        return Found(
            error=why(outcome, workload.timeout), seconds=outcome.seconds, status=outcome.status
        )
    facts = {"traces": json.loads(traces.read_text("utf-8"))} if traces.exists() else {}
    return Found(facts, seconds=outcome.seconds)


def check(workload: Workload, before_side: Side, after_side: Side) -> list[Check]:
    """Runs the command on both sides and compares each artifact, by the kind of file it is."""
    with tempfile.TemporaryDirectory(prefix="migrator-verify-") as folder:
        outs = Path(folder) / "before", Path(folder) / "after"
        before = run(workload, before_side, outs[0])
        if before.error:
            return [failure(workload, "exit code", before, None)]
        after = run(workload, after_side, outs[1])
        if after.error:
            return [failure(workload, "exit code", before, after)]
        checks = [
            Check(workload.name, "exit code", Status.EQUAL, detail="both programs ended with 0",
                  seconds=before.seconds + after.seconds)
        ]  # fmt: skip
        for pattern in workload.artifacts:
            paths = sorted(p.relative_to(outs[0]) for p in outs[0].glob(pattern) if p.is_file())
            if not paths:
                checks.append(
                    Check(workload.name, pattern, Status.NOT_RUN,
                          detail=f"the original wrote no file {pattern}")
                )  # fmt: skip
            checks += [_artifact(workload, p, outs, (before_side, after_side)) for p in paths]
    checks += _traces(workload, after.facts)
    return checks


def _artifact(
    workload: Workload, path: Path, outs: tuple[Path, Path], sides: tuple[Side, Side]
) -> Check:
    name = path.as_posix()
    if not (outs[1] / path).is_file():
        return Check(
            workload.name, name, Status.DIFFERS, where=name,
            detail="the migrated program does not write it",
        )  # fmt: skip
    if path.suffix not in _NUMERIC:
        same = (outs[0] / path).read_bytes() == (outs[1] / path).read_bytes()
        return Check(
            workload.name, name, Status.EQUAL if same else Status.DIFFERS,
            detail="compared byte for byte",
        )  # fmt: skip
    found: list[dict[str, Any]] = []
    for label, out in zip(("original", "migrated program"), outs, strict=True):
        try:
            # Both kinds of checkpoint are read by TF 2.
            found.append(_read(workload, out / path, sides[1]))
        except ValueError as error:
            status = Status.FAILED if found else Status.NOT_RUN
            detail = f"what the {label} wrote cannot be read: {error}"
            return Check(workload.name, name, status, detail=detail)
    if path.suffix != CHECKPOINT:
        return compare.arrays(workload.name, name, found[0], found[1], workload.tolerance, "array")
    title = f"checkpoint {name.removesuffix(CHECKPOINT)}"
    checked = compare.arrays(
        workload.name, title, found[0], found[1], workload.tolerance, "variable"
    )
    return dataclasses.replace(checked, detail=f"{checked.detail} (by TF1 name)")


def _read(workload: Workload, path: Path, side: Side) -> dict[str, Any]:
    """The arrays in a file by name. Raises ValueError if they cannot be had."""
    if path.suffix == CHECKPOINT:
        prefix = str(path)[: -len(CHECKPOINT)]
        found = side.run("verify_checkpoint", workload, {"path": prefix})
        if found.error:
            raise ValueError(found.error)
        return dict(found.arrays)
    if path.suffix == ".json":
        return dict(_leaves(json.loads(path.read_text(encoding="utf-8")), ""))
    return load_arrays(path)


def _leaves(value: Any, prefix: str) -> Mapping[str, Any]:
    items: Any
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return {prefix or "value": np.asarray(value if value is not None else "null")}
    leaves: dict[str, Any] = {}
    for key, inner in items:
        leaves.update(_leaves(inner, f"{prefix}/{key}" if prefix else str(key)))
    return leaves


def _traces(workload: Workload, facts: Mapping[str, Any]) -> list[Check]:
    """One trace for each signature of each tf.function of the migrated program."""
    counted = facts.get("traces", [])
    if not counted:
        return []
    bad = [c for c in counted if c["traces"] > c["signatures"]]
    shown = bad or counted
    detail = "; ".join(
        f"{c['name']} ({c['file']}:{c['line']}): {c['traces']} traces, {c['signatures']} signatures"
        for c in shown[:5]
    )
    return [
        Check(workload.name, "traces", Status.DIFFERS if bad else Status.EQUAL,
              where=bad[0]["name"] if bad else "", detail=detail)
    ]  # fmt: skip
