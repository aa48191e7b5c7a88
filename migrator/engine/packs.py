"""Reads rule packs (TOML) into records; says which file and rule is wrong when one is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from migrator.engine.keywords import Keyword, read_keywords
from migrator.model import Confidence, Rung
from migrator.project.source import SourceError
from migrator.project.toml import TomlError, parsed
from migrator.project.tree import read_named


class PackError(ValueError):
    """A rule pack that cannot be used; the message starts with its file."""


@dataclass(frozen=True, slots=True)
class Case:
    """An example of a rule, which is also its test and its documentation."""

    before: str
    after: str
    tolerance: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule as written in a pack.

    `match` holds patterns (expressions with named holes). Without `rewrite`, the rule only
    reports `finding` with `advice`. `delete` removes the expression statement that matches.
    """

    code: str
    title: str
    why: str
    match: tuple[str, ...]
    rewrite: str = ""
    delete: bool = False
    finding: str = ""
    advice: str = ""
    link: str = ""
    rung: Rung = Rung.NATIVE
    confidence: Confidence = Confidence.PROVEN
    signature: str = ""
    cases: tuple[Case, ...] = ()
    pack: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table pack: a symbol and what it becomes (or the advice about it)."""

    symbol: str
    target: str
    code: str = ""
    advice: str = ""
    message: str = ""
    confidence: Confidence = Confidence.PROVEN
    pack: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Packs:
    """The contents of all packs, in file order."""

    rules: list[Rule] = field(default_factory=list)
    renames: dict[str, Entry] = field(default_factory=dict)
    support: dict[str, Entry] = field(default_factory=dict)
    manual: dict[str, Entry] = field(default_factory=dict)
    compat: dict[str, Entry] = field(default_factory=dict)
    same: dict[str, Entry] = field(default_factory=dict)
    keywords: dict[str, dict[str, Keyword]] = field(default_factory=dict)


_TABLES = ("renames", "support", "manual", "compat", "same")
_TEXTS = ("code", "title", "why", "link", "rewrite", "finding", "advice", "signature")
_RULE_KEYS = {
    "code", "title", "why", "link", "match", "rewrite", "delete", "finding", "advice", "rung",
    "confidence", "signature", "case", "cases",
}  # fmt: skip


def load_packs(directory: Path, extra: Iterable[Path] = ()) -> Packs:
    """Every ``*.toml`` of `directory` in name order, then the user's `extra` packs.

    A user's rule comes before the shipped ones for the same symbol. Raises PackError.
    """
    packs = Packs()
    users = Packs()
    for path in extra:
        _load(path, users)
    for path in sorted(directory.glob("*.toml")):
        _load(path, packs)
    packs.rules = users.rules + packs.rules
    for name in _TABLES:
        getattr(packs, name).update(getattr(users, name))
    for symbol, keywords in users.keywords.items():
        packs.keywords.setdefault(symbol, {}).update(keywords)
    return packs


def read_packs(paths: Iterable[Path]) -> Packs:
    """The contents of these packs alone. Raises PackError."""
    packs = Packs()
    for path in paths:
        _load(path, packs)
    return packs


def data_of(path: Path) -> bytes:
    """The bytes of a pack. Raises PackError."""
    try:
        return read_named(path)[0]
    except SourceError as error:
        raise PackError(str(error)) from error


def _load(path: Path, packs: Packs) -> None:
    try:
        document = parsed(data_of(path))
    except TomlError as error:
        raise PackError(f"{path}: is not TOML: {error}") from error
    kind = path.stem if path.stem in _TABLES else ""
    rules, keywords = document.pop("rule", []), document.pop("keywords", {})
    if not isinstance(rules, list) or not all(isinstance(item, dict) for item in rules):
        raise PackError(f"{path}: rules are tables: [[rule]]")
    if not isinstance(keywords, dict):
        raise PackError(f"{path}: keywords must be a table")
    for position, item in enumerate(rules, 1):
        packs.rules.append(_rule(item, path, position))
    for symbol, table in keywords.items():
        try:
            packs.keywords.setdefault(symbol, {}).update(read_keywords(table))
        except (AttributeError, ValueError) as error:
            raise PackError(f"{path}: keywords of {symbol}: {error}") from error
    for key, value in document.items():
        if key in _TABLES and isinstance(value, dict):
            _entries(value, getattr(packs, key), path)
        elif kind and ("." in key or isinstance(value, str) or kind == "renames"):
            _entries({key: value}, getattr(packs, kind), path)
        elif isinstance(value, dict) and kind:
            _entries(value, getattr(packs, kind), path)


def _entries(table: Mapping[str, Any], into: dict[str, Entry], path: Path) -> None:
    for symbol, value in table.items():
        if isinstance(value, str):
            into[symbol] = Entry(symbol, value, pack=path.name)
        elif isinstance(value, dict):
            known = {"to", "target", "code", "advice", "message", "confidence"}
            target = value.get("to", value.get("target", value.get("advice", "")))
            into[symbol] = Entry(
                symbol,
                str(target),
                str(value.get("code", "")),
                str(value.get("advice", "")),
                str(value.get("message", "")),
                _confidence(value.get("confidence", "proven"), path, symbol),
                path.name,
                {k: v for k, v in value.items() if k not in known},
            )
        elif isinstance(value, list):
            for item in value:
                into[str(item)] = Entry(str(item), "", pack=path.name)
        else:
            raise PackError(f"{path}: {symbol}: a string or a table is wanted, not {value!r}")


def _rule(item: Mapping[str, Any], path: Path, position: int) -> Rule:
    where = f"{path}: rule {position} ({item.get('code', 'no code')})"
    for key in ("code", "title", "why", "match"):
        if not item.get(key):
            raise PackError(f"{where}: {key!r} is missing")
    for key in _TEXTS:
        if not isinstance(item.get(key, ""), str):
            raise PackError(f"{where}: {key!r} must be a string")
    match = item["match"]
    patterns = (match,) if isinstance(match, str) else match
    if not isinstance(patterns, (list, tuple)) or not all(isinstance(p, str) for p in patterns):
        raise PackError(f"{where}: 'match' must be a string or a list of strings")
    patterns = tuple(patterns)
    given = item.get("case", item.get("cases", []))
    if not isinstance(given, list) or not all(isinstance(case, dict) for case in given):
        raise PackError(f"{where}: cases are tables: [[rule.case]]")
    rewrite, delete = item.get("rewrite", ""), bool(item.get("delete", False))
    finding = item.get("finding", "")
    if bool(rewrite) + delete + bool(finding and not rewrite and not delete) != 1:
        raise PackError(f"{where}: exactly one of 'rewrite', 'delete = true', 'finding' is wanted")
    cases = []
    for case in given:
        if "before" not in case:
            raise PackError(f"{where}: a case lacks 'before'")
        tolerance = case.get("tolerance")
        if not isinstance(case["before"], str) or not isinstance(case.get("after", ""), str):
            raise PackError(f"{where}: 'before' and 'after' of a case must be strings")
        if not isinstance(tolerance, (int, float, type(None))):
            raise PackError(f"{where}: 'tolerance' of a case must be a number")
        cases.append(
            Case(
                case["before"],
                case.get("after", case["before"]),
                None if tolerance is None else float(tolerance),
                {k: v for k, v in case.items() if k not in ("before", "after", "tolerance")},
            )
        )
    try:
        rung = Rung(item.get("rung", "native"))
    except ValueError as error:
        raise PackError(f"{where}: {error}") from error
    return Rule(
        str(item["code"]),
        str(item["title"]),
        str(item["why"]),
        patterns,
        rewrite,
        delete,
        finding,
        item.get("advice", ""),
        item.get("link", ""),
        rung,
        _confidence(item.get("confidence", "proven"), path, where),
        item.get("signature", ""),
        tuple(cases),
        path.name,
        {k: v for k, v in item.items() if k not in _RULE_KEYS},
    )


def _confidence(value: object, path: Path, where: str) -> Confidence:
    try:
        return Confidence(value)
    except ValueError as error:
        raise PackError(f"{path}: {where}: {error}") from error
