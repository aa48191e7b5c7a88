"""Verifies a repository: each workload on both sides, never stopping at one that fails."""

from __future__ import annotations

import contextlib
import dataclasses
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrator.verify import model_checks, module_checks, test_checks
from migrator.verify.children import NUMERICS, Side
from migrator.verify.command_checks import Commands
from migrator.verify.records import Check, Status, Verification
from migrator.verify.reference import Reference, tensorflow_version
from migrator.verify.workspace import WorkingCopy, WorkspaceError
from migrator.workload.spec import Workload

Progress = Callable[[Workload, int, int, str], None]
# What runs in working copies, and what only reads the trees.
_IN_COPIES = {
    "tests": test_checks.check, "imports": module_checks.imports, "help": module_checks.helps,
}  # fmt: skip
_IN_PLACE = {
    "function": model_checks.check, "frozen_graph": model_checks.check,
    "saved_model": model_checks.check, "checkpoint": model_checks.checkpoint,
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

    progress is called before each workload with it, how many are done, how many there are, and,
    also while it runs, what is being done.
    """
    settings = settings or Settings()
    sides = Side.before(before, reference), Side.after(after, settings.python)
    checks: list[Check] = []
    with contextlib.ExitStack() as stack:
        work = _Work(sides, stack)
        for done, workload in enumerate(workloads):
            if settings.timeout is not None:
                limit = min(settings.timeout, workload.timeout)
                workload = dataclasses.replace(workload, timeout=limit)

            def say(text: str, workload: Workload = workload, done: int = done) -> None:
                if progress is not None:
                    progress(workload, done, len(workloads), text)

            say("")
            checks += work.checks(workload, reference, say)
        checks = work.settled(checks)
    environment = {
        "python": platform.python_version(), "tensorflow": tensorflow_version(),
        "machine": platform.machine(), **NUMERICS,
    }  # fmt: skip
    return Verification(
        reference.title, reference.real_tf1, tuple(checks), environment, reference.why
    )


class _Work:
    """Runs workloads, one after the other; the working copies are made when one needs them."""

    def __init__(self, sides: tuple[Side, Side], stack: contextlib.ExitStack) -> None:
        self.sides, self.stack = sides, stack
        self.copies: tuple[WorkingCopy, WorkingCopy] | None = None
        self.commands: Commands | None = None

    def checks(
        self, workload: Workload, reference: Reference, say: Callable[[str], None]
    ) -> list[Check]:
        """The workload's checks; what stops it is a check, too."""
        kind = workload.kind
        if kind not in (*_IN_PLACE, *_IN_COPIES, "command"):
            detail = f"a workload of kind {kind!r} is measured, not verified"
            return [Check(workload.name, "all", Status.NOT_RUN, detail=detail)]
        if not reference.side:
            return [Check(workload.name, "all", Status.NOT_RUN, detail=reference.why)]
        try:
            if kind in _IN_PLACE:
                return _IN_PLACE[kind](workload, *self.sides)
            before, after = self._copies()
            if kind == "command":
                assert self.commands is not None
                return self.commands.check(workload)

            def told(done: int, total: int, name: str) -> None:
                say(f"{done} of {total}: {name}")

            return _IN_COPIES[kind](workload, before.inside, after.inside, told)
        except (OSError, ValueError, KeyError, WorkspaceError) as error:
            # A result file that is not what it should be, a full disk: this workload's trouble.
            detail = f"{type(error).__name__}: {error}"
            return [Check(workload.name, "all", Status.FAILED, detail=detail)]

    def _copies(self) -> tuple[WorkingCopy, WorkingCopy]:
        if self.copies is None:
            scratch = self.stack.enter_context(_scratch())
            before, after = self.sides
            self.copies = (
                WorkingCopy(before, scratch / "before"), WorkingCopy(after, scratch / "after")
            )  # fmt: skip
            self.commands = Commands(self.copies, scratch)
        return self.copies

    def settled(self, checks: list[Check]) -> list[Check]:
        """The checks after those of commands had another look, see Commands.settle."""
        if self.commands is None:
            return checks
        try:
            return self.commands.settle(checks)
        except WorkspaceError:  # no room for a third copy: as they stand
            return checks


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="migrator-verify-", ignore_cleanup_errors=True) as name:
        yield Path(name)
