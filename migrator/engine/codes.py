"""What the codes of changes and findings stand for, whoever makes them: rules, tables, transforms."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from migrator import resources
from migrator.engine import work
from migrator.engine.packs import Packs, Rule

_TITLE = 100  # characters


@dataclass(frozen=True, slots=True)
class Code:
    """A code's title (a few words) and why there is something to do (a sentence)."""

    title: str
    why: str


@cache
def described() -> dict[str, Code]:
    """The codes that no rule defines: of the engine, the tables and the transforms.

    Read from `rules/advice/codes.toml`.
    """
    path = resources.rules_dir() / "advice" / "codes.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {code: Code(entry["title"], entry["why"]) for code, entry in sorted(table.items())}


def every(packs: Packs) -> dict[str, Code]:
    """All codes, those of the packs' rules included, by code.

    Where several rules have one code, what they have in common is why they are there.
    """
    found = dict(described())
    rules: dict[str, list[Rule]] = {}
    for rule in packs.rules:
        rules.setdefault(rule.code, []).append(rule)
    for code, same in rules.items():
        shared = same[0].why.partition(". ")[0].rstrip(".")
        title = shared if len(same) > 1 and len(shared) <= _TITLE else same[0].title
        found.setdefault(code, Code(title, same[0].why))
    return dict(sorted(found.items()))


def symbols(packs: Packs, code: str) -> list[tuple[str, str]]:
    """(symbol, what it becomes or what to do) of the tables' entries that report `code`."""
    found = []
    for table in ("renames", "support", "manual", "compat"):
        for symbol, entry in getattr(packs, table).items():
            if (entry.code or work.table_code(table)) == code:
                target = entry.target if table in ("renames", "support") else ""
                found.append((symbol, target or entry.advice or entry.message))
    return sorted(found)
