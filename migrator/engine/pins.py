"""Plans the files that pin a program's packages: requirements, environments, Dockerfiles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from migrator.engine.options import Options
from migrator.engine.work import held_back_changes
from migrator.model import Confidence, FileResult, Status
from migrator.project.discover import discover
from migrator.project.source import SourceError, decode
from migrator.project.tree import read
from migrator.transforms import requirements

CODES = ("DEP101", "DEP102", "DEP103", "DEP104", "DEP105", "DEP106")
_EVERY_FILE = ("",)  # Dockerfiles and the like have no suffix


def is_setup(path: str) -> bool:
    """Whether a file may name packages in Python."""
    return path.endswith("setup.py")


def setup_module(result: FileResult, options: Options) -> FileResult:
    """A migrated setup.py with its pins replaced as well; any other result as it is."""
    if not is_setup(result.path) or not _allowed(options.at(result.path)):
        return result
    if result.status not in (Status.CHANGED, Status.UNCHANGED):
        return result
    text = result.new_text if result.new_text is not None else result.old_text
    updated = requirements.update(result.path, text)
    if updated.text == text:
        return result
    if not options.at(result.path).sure(Confidence.LIKELY):
        held = held_back_changes(result.path, updated.changes)
        return replace(result, findings=(*result.findings, *held))
    return replace(
        result, status=Status.CHANGED, new_text=updated.text,
        changes=(*result.changes, *updated.changes),
        findings=(*result.findings, *updated.findings),
    )  # fmt: skip


def _allowed(options: Options) -> bool:
    return any(options.allows(code) for code in CODES)


def plan_pins(root: Path, options: Options) -> list[FileResult]:
    """What becomes of the dependency files below `root`; files that stay as they are left out."""
    found = []
    for path in discover(root, suffixes=_EVERY_FILE):
        relative = path.relative_to(root).as_posix()
        if relative.endswith(".py") or not requirements.concerns(relative):
            continue
        chosen = options.at(relative)
        if not _allowed(chosen):
            continue
        try:
            data, mode = read(root, relative)
            source = decode(data, path, mode)
        except SourceError:
            continue  # not text: nothing that pip or conda would read
        updated = requirements.update(relative, source.text)
        changed = updated.text != source.text
        if changed and not chosen.sure(Confidence.LIKELY):
            held = held_back_changes(relative, updated.changes)
            found.append(FileResult(
                relative, Status.UNCHANGED, source.sha256, source.text, findings=tuple(held)
            ))  # fmt: skip
            continue
        if changed or updated.findings:
            found.append(FileResult(
                relative, Status.CHANGED if changed else Status.UNCHANGED, source.sha256,
                source.text, updated.text if changed else None, tuple(updated.changes),
                tuple(updated.findings),
            ))  # fmt: skip
    return found
