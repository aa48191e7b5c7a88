"""Plans the files that pin a program's packages: requirements, environments, Dockerfiles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from migrator.engine import requirements
from migrator.engine.options import Options
from migrator.engine.work import held_back_changes
from migrator.model import Confidence, FileResult, Finding, Status
from migrator.project.discover import discover
from migrator.project.results import Results
from migrator.project.source import SourceError, SourceFile, decode
from migrator.project.tree import read

CODES = ("DEP101", "DEP102", "DEP103", "DEP104", "DEP105", "DEP106", requirements.BESIDE)
# What the migrated code needs and TensorFlow 2.21 does not install: by what a text says of it, of which
# the first is a word that is quickly looked for.
_NEEDS = {
    "tensorboard": ("ar", re.compile(r"\btf\.(compat\.v1\.)?summary\.|\btensorboard\.")),
    "tensorflow-probability": ("tensorflow_probability", re.compile(r"\bimport tensorflow_probability\b")),
    "tf-keras": ("tf_keras", re.compile(r"\b(import|from) tf_keras\b")),
    "packaging": ("packaging", re.compile(r"\bfrom packaging\b|\bimport packaging\b")),
}
SUPPORT, BESIDE = requirements.SUPPORT, requirements.BESIDE
_EVERY_FILE = ("",)  # Dockerfiles and the like have no suffix


def is_setup(path: str) -> bool:
    """Whether a file may name packages in Python."""
    return path.endswith("setup.py")


def needs(texts: Iterable[str]) -> frozenset[str]:
    """The packages that these modules need besides TensorFlow."""
    found: set[str] = set()
    for text in texts:
        found.update(
            name for name, (word, said) in _NEEDS.items()
            if name not in found and word in text and said.search(text)
        )
    return frozenset(found)


def lists_tensorflow(result: FileResult) -> bool:
    """Whether a setup.py says that TensorFlow is to be installed."""
    return requirements.lists_tensorflow(result.new_text or result.old_text)


def unpinned(results: Iterable[FileResult]) -> FileResult | None:
    """The result of the first module that uses tf1-support, with a finding: for a tree in which no file
    could pin it. `results`: in their paths' order."""
    for result in results:
        if not result.support or not result.path.endswith((".py", ".ipynb")):
            continue
        pin = requirements.pin_of_support()
        finding = Finding(
            BESIDE, result.path, 1, 0,
            f"the program imports {requirements.SUPPORT}, and no file of this tree lists what to install "
            "in a way in which the pin could be added",
            f"pip install {pin} (`migrator wheel` makes it), and write support = \"package\" below "
            "[migrator] into migrator.toml, so that the next migration knows.",
        )  # fmt: skip
        return replace(result, findings=(*result.findings, finding))
    return None


def unlisted(
    results: Iterable[FileResult], needed: frozenset[str], options: Options,
    files: Mapping[str, SourceFile],
) -> FileResult | None:  # fmt: skip
    """The result of the first module that writes summaries, with a finding: for a tree in which no file
    lists TensorFlow, so that tensorboard could not be put beside it. `results`: in their paths' order;
    `files`: what lists what to install."""
    if "tensorboard" not in needed or not options.allows(BESIDE):
        return None
    for result in results:
        path, texts = result.path, result.old_text + (result.new_text or "")
        if not path.endswith(".py") or not re.search(r"summar|tensorboard", texts, re.IGNORECASE):
            continue
        finding = Finding(
            BESIDE, path, 1, 0,
            "the program writes summaries, for which TensorFlow 2.21 needs tensorboard without installing "
            "it, and no file of this tree lists what to install",
            "pip install tensorboard, and write it into a requirements.txt, which says here that it is done.",
        )  # fmt: skip
        return None if is_listed(finding, files) else replace(result, findings=(*result.findings, finding))
    return None


def is_listed(finding: Finding, files: Mapping[str, SourceFile]) -> bool:
    """Whether what a finding of `unpinned` or `unlisted` misses stands in a file by now."""
    names = [n for n in ("tensorboard", SUPPORT) if finding.code == BESIDE and n in finding.message]
    return any(n in source.text for source in files.values() for n in names)


def setup_module(
    result: FileResult, options: Options, needed: frozenset[str] = frozenset()
) -> FileResult:
    """A migrated setup.py with its pins replaced as well; any other result as it is."""
    if not is_setup(result.path) or not _allowed(options.at(result.path)):
        return result
    if result.status not in (Status.CHANGED, Status.UNCHANGED):
        return result
    text = result.new_text if result.new_text is not None else result.old_text
    updated = requirements.update(result.path, text, needed)
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


def listings(root: Path) -> dict[str, SourceFile]:
    """The files below `root` that list what to install, by relative path."""
    found = {}
    for path in discover(root, suffixes=_EVERY_FILE):
        relative = path.relative_to(root).as_posix()
        if not requirements.concerns(relative):
            continue
        try:
            data, mode = read(root, relative)
            found[relative] = decode(data, path, mode)
        except SourceError:
            continue  # not text: nothing that pip or conda would read
    return found


def pins_support(files: Mapping[str, SourceFile]) -> bool:
    """Whether any of these files pins tf1-support."""
    return any(requirements.pins_support(source.text) for source in files.values())


def will_pin_support(files: Mapping[str, SourceFile], results: Results) -> bool:
    """Whether any of these files pins tf1-support once the results are written."""
    for path, source in files.items():
        result = results.get(path) if results.has(path) else None
        text = result.new_text if result is not None and result.new_text else source.text
        if requirements.pins_support(text):
            return True
    return False


def plan_pins(
    files: Mapping[str, SourceFile], options: Options, needed: frozenset[str] = frozenset()
) -> tuple[list[FileResult], bool]:
    """(what becomes of dependency files, modules and those that stay as they are left out; whether
    any of them lists TensorFlow). `needed`: packages that stand beside it then."""
    found = []
    listed = False
    for relative, source in files.items():
        chosen = options.at(relative)
        if relative.endswith(".py") or not _allowed(chosen):
            continue
        listed = listed or requirements.lists_tensorflow(source.text)
        updated = requirements.update(relative, source.text, needed)
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
    return found, listed
