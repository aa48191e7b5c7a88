"""What companion libraries and Python itself had when TensorFlow 1 was current, and have no longer.

From ``rules/api/libraries.json``, which `rules/tools/snapshot_libraries.py` makes of releases side by side.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from migrator import resources


@dataclass(frozen=True, slots=True)
class Gone:
    """A name that is gone: from what ("pandas 3.1", "Python 3.12"), and where there is one of that
    name now ("" where nobody knows)."""

    name: str
    release: str
    now: str = ""


@dataclass(frozen=True, slots=True)
class Arguments:
    """How a function takes less than it did: keywords that are `gone`, with what stands at their place now
    ("" where nothing does); beyond `limit` (None: as before) nothing by position, where `names` are what
    those behind are called ("" for one that is gone)."""

    release: str
    gone: Mapping[str, str]
    limit: int | None
    names: tuple[str, ...]


@cache
def _document() -> Any:
    path = resources.rules_dir() / "api" / "libraries.json"
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def tops() -> frozenset[str]:
    """The first parts of the names of which anything is known."""
    document = _document()
    return frozenset(document["libraries"]) | {name.partition(".")[0] for name in document["stdlib"]}


@cache
def libraries() -> frozenset[str]:
    """Those of `tops` that are distributions."""
    return frozenset(_document()["libraries"])


def release(top: str) -> str:
    """A library and its release: ``pandas 3.1``."""
    library = _document()["libraries"][top]
    return f"{library['name']} {library['version']}"


@cache
def _names() -> dict[str, Gone]:
    found = {}
    for top, library in _document()["libraries"].items():
        for module, names in library["names"].items():
            for name, _, now in (entry.partition("=") for entry in str(names).split()):
                path = f"{module}.{name}" if module else name
                found[path] = Gone(path, release(top), now)
    for path, since in _document()["stdlib"].items():
        found[path] = Gone(path, f"Python {since}")
    return found


def gone(path: str) -> Gone | None:
    """What is gone of a dotted name, as it stands or further up."""
    if path.partition(".")[0] not in tops():
        return None
    parts = path.partition("(")[0].split(".")
    names = _names()
    for length in range(1, len(parts) + 1):
        found = names.get(".".join(parts[:length]))
        if found is not None:
            return found
    return None


@cache
def arguments(path: str) -> Arguments | None:
    """How a function or class takes less than it did, None for one that takes what it took."""
    library = _document()["libraries"].get(path.partition(".")[0])
    entry = library["arguments"].get(path) if library is not None else None
    if entry is None:
        return None
    return Arguments(
        release(path.partition(".")[0]), entry.get("gone", {}), entry.get("limit"),
        tuple(entry.get("names", ())),
    )  # fmt: skip


def methods(top: str) -> dict[str, tuple[str, ...]]:
    """The attributes that a library's classes had and none of any library has, with such classes."""
    return {name: tuple(classes) for name, classes in _document()["libraries"][top]["methods"].items()}



def names_of(top: str) -> list[str]:
    """The whole names of what a library has no longer."""
    return [path for path in _names() if path.startswith(f"{top}.")]
