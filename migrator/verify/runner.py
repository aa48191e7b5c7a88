"""Verifies a repository: each workload on both sides, never stopping at one that fails."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrator.verify import command_checks, model_checks, test_checks
from migrator.verify.children import NUMERICS, Side
from migrator.verify.records import Check, Status, Verification
from migrator.verify.reference import Reference, tensorflow_version
from migrator.workload.spec import Workload

Progress = Callable[[Workload, int, int], None]
_CHECKS = {
    "function": model_checks.check, "frozen_graph": model_checks.check,
    "saved_model": model_checks.check, "command": command_checks.check,
    "tests": test_checks.check,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """timeout: seconds that any one process may take, where it is less than the workload's own."""

    timeout: float | None = None


def run(
    before: Path,
    after: Path,
    workloads: Sequence[Workload],
    reference: Reference,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Runs every workload on the original and on the migrated tree, and compares.

    progress is called before each workload with it, how many are done, and how many there are.
    """
    settings = settings or Settings()
    sides = Side.before(before, reference), Side.after(after)
    checks: list[Check] = []
    for done, workload in enumerate(workloads):
        if progress is not None:
            progress(workload, done, len(workloads))
        if settings.timeout is not None:
            limit = min(settings.timeout, workload.timeout)
            workload = dataclasses.replace(workload, timeout=limit)
        if workload.kind not in _CHECKS:
            detail = f"a workload of kind {workload.kind!r} is measured, not verified"
            checks.append(Check(workload.name, "all", Status.NOT_RUN, detail=detail))
            continue
        if not reference.side:
            checks.append(Check(workload.name, "all", Status.NOT_RUN, detail=reference.why))
            continue
        try:
            checks += _CHECKS[workload.kind](workload, *sides)
        except (OSError, ValueError, KeyError) as error:
            # A result file that is not what it should be, a full disk: this workload's own trouble.
            detail = f"{type(error).__name__}: {error}"
            checks.append(Check(workload.name, "all", Status.FAILED, detail=detail))
    environment = {
        "python": platform.python_version(), "tensorflow": tensorflow_version(),
        "machine": platform.machine(), **NUMERICS,
    }  # fmt: skip
    return Verification(
        reference.title, reference.real_tf1, tuple(checks), environment, reference.why
    )
