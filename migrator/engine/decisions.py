"""Decisions about the hunks of a plan: made in a terminal or on the review page, kept in a file.

    {"format": "migrator-decisions", "version": 1, "rules": ["TF110"],
     "files": {"pkg/a.py": ["<digest>", [true, false, true]]}}

A file's digest is of what it was and what it becomes; where either is another one now, the decisions
about it do not count. Files that are not named are accepted whole.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from migrator.engine import partial
from migrator.model import FileResult, Plan
from migrator.project.diff import hunks
from migrator.project.source import SourceError
from migrator.project.tree import read_named

FORMAT, VERSION = "migrator-decisions", 1


class DecisionsError(ValueError):
    """A decisions file that cannot be used; the message names it and what is wrong."""


@dataclass
class Decisions:
    """What was decided so far.

    `files`: for a path, the digest of (old, new) content that it is about, and one answer for each
    hunk, from the first on; `rules`: codes that were accepted wherever they act.
    """

    files: dict[str, tuple[str, list[bool]]] = field(default_factory=dict)
    rules: set[str] = field(default_factory=set)


def digest(result: FileResult) -> str:
    """Of what a file was and what it becomes."""
    text = f"{result.old_sha256}\n{result.new_text}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def load(path: Path) -> Decisions:
    """The decisions of a file. Raises DecisionsError for whatever is none."""
    try:
        raw: Any = json.loads(read_named(path)[0])
    except (SourceError, ValueError, RecursionError) as error:
        raise DecisionsError(f"{path}: {error}") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT or raw.get("version") != VERSION:
        raise DecisionsError(f"{path}: is no file of decisions of version {VERSION}")
    files: dict[str, tuple[str, list[bool]]] = {}
    if not isinstance(raw.get("files"), dict) or not isinstance(raw.get("rules", []), list):
        raise DecisionsError(f"{path}: 'files' is a table, 'rules' a list")
    for name, entry in raw["files"].items():
        if (
            not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], str)
            or not isinstance(entry[1], list) or any(not isinstance(a, bool) for a in entry[1])
        ):  # fmt: skip
            raise DecisionsError(f"{path}: files[{name[:80]!r}] is [digest, [true, false, …]]")
        files[name] = (entry[0], list(entry[1]))
    return Decisions(files, {str(code) for code in raw.get("rules", [])})


def dump(decided: Decisions) -> str:
    """The text of a decisions file."""
    return json.dumps({
        "format": FORMAT, "version": VERSION, "rules": sorted(decided.rules),
        "files": {path: [made, given] for path, (made, given) in decided.files.items()},
    })  # fmt: skip


def decide(plan: Plan, decided: Decisions) -> tuple[Plan, list[tuple[str, str]]]:
    """(the plan with what was accepted, files that are left whole and why).

    A file that has changed since it was decided about, or that would not run with only some of its
    hunks, is left as it is.
    """
    chosen: dict[str, list[bool]] = {}
    left: list[tuple[str, str]] = []
    known = {f.path for f in plan.changed}
    for path in decided.files:
        if path not in known:
            left.append((path, "the plan does not change it"))
    for result in plan.changed:
        number = len(hunks(result))
        made, answers = decided.files.get(result.path, (digest(result), [True] * number))
        why = ""
        if made != digest(result):
            why = "it, or what it becomes, is not what was decided about"
        elif len(answers) != number:
            why = f"there are {len(answers)} decisions about its {number} hunks"
        elif any(answers) and not all(answers):
            why = partial.problem(result, partial.text_with(result, answers))
        if why:
            left.append((result.path, why))
            answers = [False] * number
        chosen[result.path] = answers
    return partial.chosen(plan, chosen), left
