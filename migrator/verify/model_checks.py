"""Checks of workloads that are called with inputs: functions, frozen graphs and SavedModels."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import numpy as np

from migrator.verify import compare
from migrator.verify.children import Found, Side, part
from migrator.verify.compare import listed
from migrator.verify.records import Check, Status
from migrator.workload.spec import Workload

STEPS = 3  # as programs/verify_common.py makes


def failure(workload: Workload, name: str, before: Found, after: Found | None) -> Check:
    """The check in place of those that a failed child leaves without numbers."""
    seconds = before.seconds + (after.seconds if after is not None else 0.0)
    if after is None:
        return Check(
            workload.name, name, Status.NOT_RUN, detail=f"the original: {before.error}",
            seconds=seconds,
        )  # fmt: skip
    return Check(
        workload.name, name, Status.FAILED, detail=f"after the migration: {after.error}",
        seconds=seconds,
    )  # fmt: skip


def check(workload: Workload, before_side: Side, after_side: Side) -> list[Check]:
    """Runs the workload on both sides, on the same weights and inputs, and compares."""
    name = "outputs" if workload.kind == "function" else "fetched tensors"
    if workload.kind != "function" and not workload.fetches:
        return [
            Check(workload.name, name, Status.NOT_RUN,
                  detail="the workload names no fetches, such as detection_boxes:0")
        ]  # fmt: skip
    before = before_side.run("verify_before", workload)
    if before.error:
        return [failure(workload, name, before, None)]
    with tempfile.TemporaryDirectory(prefix="migrator-verify-") as folder:
        reference = Path(folder) / "reference.npz"
        np.savez(reference, **dict(before.arrays))
        after = after_side.run("verify_after", workload, {"reference": str(reference)})
    if after.error:
        return [failure(workload, name, before, after)]
    checks = _compared(workload, name, before, after)
    checks[0] = dataclasses.replace(checks[0], seconds=before.seconds + after.seconds)
    return checks


def checkpoint(workload: Workload, before_side: Side, after_side: Side) -> list[Check]:
    """A checkpoint has the same variables on both sides, by name."""
    found = []
    for side in (before_side, after_side):
        path = {"path": str(side.root / workload.path)}
        found.append(side.run("verify_checkpoint", workload, path))
        if found[-1].error:
            return [failure(workload, "variables", found[0], found[1] if len(found) > 1 else None)]
    checked = compare.arrays(
        workload.name, "variables", found[0].arrays, found[1].arrays, 0.0, "variable"
    )
    return [dataclasses.replace(checked, seconds=found[0].seconds + found[1].seconds)]


def _compared(workload: Workload, name: str, before: Found, after: Found) -> list[Check]:
    def arrays(label: str, prefix: str, kind: str = "tensor") -> Check:
        return compare.arrays(
            workload.name, label, part(before.arrays, prefix), part(after.arrays, prefix),
            workload.tolerance, kind,
        )  # fmt: skip

    checks = [arrays(name, "output")]
    if workload.kind == "function":
        checks.append(_variables(workload, before, after))
        if "checkpoint" in after.facts:
            checks.append(_checkpoint(workload, before, after))
        elif workload.checkpoint:
            checks.append(
                Check(workload.name, "checkpoint by name", Status.NOT_RUN,
                      detail="the migrated code keeps no variables by TF1 name")
            )  # fmt: skip
        if workload.mode == "training":
            loss = compare.arrays(
                workload.name, "loss", {"loss": before.arrays["loss"]},
                {"loss": after.arrays["loss"]}, workload.tolerance,
            )  # fmt: skip
            checks += [loss, arrays("gradients", "gradient", "gradient")]
            precision = " in float64" if workload.float64 else ""
            checks.append(arrays(f"{STEPS} training steps{precision}", "step", "variable"))
    checks.append(_traces(workload, after))
    return checks


def _variables(workload: Workload, before: Found, after: Found) -> Check:
    """Same variables, same shapes and types, the same ones trainable."""
    old, new = part(before.arrays, "variable"), after.facts["variables"]
    lost = [n for n in old if n not in new]
    added = [n for n in new if n not in old]
    trained = set(before.facts["trainable"]) ^ set(after.facts["trainable"])
    other = sorted(trained - set(lost) - set(added))
    details = [f"{len(old) - len(lost)} of {len(old)} variables found by TF1 name"]
    for label, names in (("lost", lost), ("new", added), ("trainable on one side only", other)):
        if names:
            details.append(f"{label}: {listed(names)}")
    status = Status.DIFFERS if lost or added or other else Status.EQUAL
    where = (lost + added + other + [""])[0]
    return Check(workload.name, "variables", status, where=where, detail="; ".join(details))


def _checkpoint(workload: Workload, before: Found, after: Found) -> Check:
    """The TF1 checkpoint gives the migrated variables the values that it gave the original's."""
    facts = after.facts["checkpoint"]
    lost = sorted(set(facts["missing"]) - set(before.facts["missing"]))
    total = len(before.facts["variables"]) - len(before.facts["missing"])
    details = [f"{facts['loaded']} of {total} variables loaded from {workload.checkpoint}"]
    if before.facts["missing"]:
        details.append(f"in neither program's reach: {listed(before.facts['missing'])}")
    if lost:
        details.append(f"not loaded after the migration: {listed(lost)}")
    bad = bool(lost) or facts["difference"] != 0
    return Check(
        workload.name, "checkpoint by name", Status.DIFFERS if bad else Status.EQUAL,
        facts["difference"], 0.0, facts["where"], "; ".join(details),
    )  # fmt: skip


def _traces(workload: Workload, after: Found) -> Check:
    traces, functions = after.facts["traces"], after.facts["functions"]
    return Check(
        workload.name, "traces", Status.EQUAL if traces <= functions else Status.DIFFERS,
        detail=f"repeated calls of {functions} functions made {traces} traces",
    )  # fmt: skip
