"""Verifies a repository: each workload on both sides, never stopping at one that fails."""

from __future__ import annotations

import contextlib
import dataclasses
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrator.verify import model_checks, test_checks
from migrator.verify.children import NUMERICS, Side
from migrator.verify.command_checks import Commands
from migrator.verify.records import Check, Status, Verification
from migrator.verify.reference import Reference, tensorflow_version
from migrator.verify.workspace import WorkspaceError
from migrator.workload.spec import Workload

Progress = Callable[[Workload, int, int], None]
_CHECKS = {
    "function": model_checks.check, "frozen_graph": model_checks.check,
    "saved_model": model_checks.check, "tests": test_checks.check,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """timeout: seconds that any one process may take, where it is less than the workload's own.
    python: the interpreter with TensorFlow 2 that runs the migrated tree, by default this one.
    """

    timeout: float | None = None
    python: str = ""


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
    sides = Side.before(before, reference), Side.after(after, settings.python)
    checks: list[Check] = []
    with contextlib.ExitStack() as stack:
        commands: Commands | None = None
        for done, workload in enumerate(workloads):
            if progress is not None:
                progress(workload, done, len(workloads))
            if settings.timeout is not None:
                limit = min(settings.timeout, workload.timeout)
                workload = dataclasses.replace(workload, timeout=limit)
            if workload.kind not in (*_CHECKS, "command"):
                detail = f"a workload of kind {workload.kind!r} is measured, not verified"
                checks.append(Check(workload.name, "all", Status.NOT_RUN, detail=detail))
                continue
            if not reference.side:
                checks.append(Check(workload.name, "all", Status.NOT_RUN, detail=reference.why))
                continue
            try:
                if workload.kind == "command":
                    if commands is None:
                        folder = stack.enter_context(_scratch())
                        commands = Commands(*sides, folder)
                    checks += commands.check(workload)
                else:
                    checks += _CHECKS[workload.kind](workload, *sides)
            except (OSError, ValueError, KeyError, WorkspaceError) as error:
                # A result file that is not what it should be, a full disk: this workload's trouble.
                detail = f"{type(error).__name__}: {error}"
                checks.append(Check(workload.name, "all", Status.FAILED, detail=detail))
        if commands is not None:
            with contextlib.suppress(WorkspaceError):  # no room for a third copy: as it stands
                checks = commands.settle(checks)
    environment = {
        "python": platform.python_version(), "tensorflow": tensorflow_version(),
        "machine": platform.machine(), **NUMERICS,
    }  # fmt: skip
    return Verification(
        reference.title, reference.real_tf1, tuple(checks), environment, reference.why
    )


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="migrator-verify-", ignore_cleanup_errors=True) as name:
        yield Path(name)
