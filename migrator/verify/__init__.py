"""Runs a repository before and after its migration, in child processes, and compares the numbers."""

from migrator.verify.records import Check, Status, Verification
from migrator.verify.reference import Reference, ReferenceError, find_reference
from migrator.verify.runner import Settings, run

__all__ = [
    "Check", "Reference", "ReferenceError", "Settings", "Status", "Verification",
    "find_reference", "run",
]  # fmt: skip
