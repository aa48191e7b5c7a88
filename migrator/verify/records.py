"""What a verification says: one check after the other, as JSON that the report reads."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Status(str, enum.Enum):
    """How a check came out.

    EQUAL: compared, and within the tolerance. DIFFERS: compared, and not. FAILED: the migrated
    program crashed, timed out or wrote nothing to compare. NOT_RUN: the original gave nothing to
    compare with, or the workload cannot be run as it is described.
    """

    EQUAL = "equal"
    DIFFERS = "differs"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison.

    difference: the largest one, relative to the largest value of the tensor it is in (see
      `compare.arrays`); None where nothing was subtracted. where: the tensor, variable or test it
      is in. detail: what was compared, or why it was not; may have several lines.
    seconds: what the child processes behind it took, counted once for each workload.
    left: whether something is left to do where it did not run; what the original itself does not do is
      nobody's task.
    """

    workload: str
    name: str
    status: Status
    difference: float | None = None
    tolerance: float | None = None
    where: str = ""
    detail: str = ""
    seconds: float = 0.0
    left: bool = True


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of a repository.

    reference: what ran the original. real_tf1: whether that was TensorFlow 1. environment: Python
      and package versions of the migrated side, and the settings that change numbers.
    """

    reference: str
    real_tf1: bool
    checks: tuple[Check, ...]
    environment: dict[str, str] = field(default_factory=dict)
    note: str = ""

    def count(self, status: Status) -> int:
        return sum(c.status is status for c in self.checks)

    @property
    def bad(self) -> bool:
        """Something differs or failed."""
        return self.count(Status.DIFFERS) + self.count(Status.FAILED) > 0

    @property
    def ok(self) -> bool:
        """Something was compared, and nothing differs or failed."""
        return not self.bad and self.count(Status.EQUAL) > 0
