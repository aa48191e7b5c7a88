"""Runs a repository before and after its migration, in child processes, and compares the numbers."""

from migrator.model import to_json
from migrator.verify import found, workspace
from migrator.verify.records import Check, Status, Verification
from migrator.verify.reference import Reference, ReferenceError, find_reference
from migrator.verify.runner import Settings, run

__all__ = [
    "Check", "Reference", "ReferenceError", "Settings", "Status", "Verification",
    "find_reference", "found", "run", "to_json", "workspace",
]  # fmt: skip
