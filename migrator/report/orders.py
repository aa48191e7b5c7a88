"""What is left, as work orders: findings by their cause, each with its places and how to prove it done.

A session program that stays TensorFlow 1 is one cause with many consequences: its placeholders, its
optimizer, its saver stay with it. So what stands in the same function or class as an obstacle is told
under it, and what is said of many places is said once.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from migrator.lines import lines_of
from migrator.model import FileResult, Finding, Plan, Rung, Status
from migrator.project.notebook import cell_of, is_notebook
from migrator.report import tf1_did

AROUND = 2  # lines of code that are shown before and after a place
OBSTACLES = re.compile(r"TF39\d|TF703")
_STAYS = ("the session in ", "the loaded graph stays")
RUNGS = ("manual", "compat", "check", "support", "native")
TESTS = re.compile(r"(^|/)(tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)")


@dataclass(frozen=True, slots=True)
class Place:
    """One place of an order, at its line today. code: (line number, text) around it. main: whether it is
    the cause itself, and does not only stay with it."""

    path: str
    line: int
    symbol: str
    message: str
    shown: str = ""
    code: tuple[tuple[int, str], ...] = ()
    main: bool = True


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to do. rung: "manual" (a person must), "compat" (runs, as TensorFlow 1), "check" (to be
    run), or "support"/"native" (to look at). did: what TensorFlow 1 did; prove: the command that shows
    that it is done. test: whether all its places are in tests."""

    id: str
    code: str
    rung: str
    title: str
    did: str
    advice: tuple[str, ...]
    places: tuple[Place, ...]
    prove: str
    test: bool = False


_UNREAD = "TF001"  # what was not looked at: each file is an order


def text_now(result: FileResult) -> str:
    """The text that a person finds in the file: what it becomes, or what it is."""
    return result.old_text if result.new_text is None else result.new_text


def of(plan: Plan, written: bool, repo: str = ".") -> tuple[Order, ...]:
    """The orders of a plan, what a person must do first, tests last.

    written: whether the tree is what the plan makes of it, so that lines are those of the new texts.
    """
    groups: dict[tuple[str, ...], list[tuple[Finding, Place]]] = {}
    heads: dict[tuple[str, ...], Finding] = {}
    for result in plan.files:
        if not result.findings:
            continue
        text = text_now(result) if written else result.old_text
        lines, units = lines_of(text), _units(text)
        found = [(f, _line(f, written)) for f in result.findings if f.code != _UNREAD]
        causes = _causes(found, units)
        for finding, line in found:
            head = causes.get(_unit(units, line)) if finding.rung is Rung.COMPAT else None
            head = head or finding
            key = (head.rung.value, head.code, _cause(head))
            heads.setdefault(key, head)
            groups.setdefault(key, []).append((finding, _place(result, finding, line, text, lines)))
    made = [_order(heads[key], pairs, repo) for key, pairs in groups.items()]
    made += [_unread(f, repo) for f in plan.files if f.status is Status.FAILED or f.error]
    return tuple(sorted(made, key=lambda o: (RUNGS.index(o.rung), o.test, -len(o.places), o.title)))


def _line(finding: Finding, written: bool) -> int:
    return finding.now if written and finding.now else finding.line


def _units(text: str) -> list[tuple[int, int]]:
    """First and last line of each function and class at module level."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [(n.lineno, n.end_lineno or n.lineno) for n in tree.body if isinstance(n, kinds)]


def _unit(units: Iterable[tuple[int, int]], line: int) -> tuple[int, int]:
    return next((u for u in units if u[0] <= line <= u[1]), (0, 0))


def _causes(
    found: Iterable[tuple[Finding, int]], units: list[tuple[int, int]]
) -> dict[tuple[int, int], Finding]:
    """The obstacle of each unit that has one; the first where there are several."""
    causes: dict[tuple[int, int], Finding] = {}
    for finding, line in found:
        if finding.rung is Rung.COMPAT and is_obstacle(finding):
            causes.setdefault(_unit(units, line), finding)
    return causes


def is_obstacle(finding: Finding) -> bool:
    """Whether a finding says why a program stays, and not only that a part of it does."""
    return bool(OBSTACLES.match(finding.code)) or finding.message.startswith(_STAYS)


def _cause(finding: Finding) -> str:
    """What findings of one cause have in common: what was said, without the names of their places."""
    if is_obstacle(finding):
        return re.sub(r"\btest_\w+|(?<=the session in )\w+", "…", finding.message)
    return f"{finding.symbol} {finding.message}"


def _place(
    result: FileResult, finding: Finding, line: int, text: str, lines: list[str]
) -> Place:
    first, last = max(1, line - AROUND), min(len(lines), line + AROUND)
    cell = cell_of(text, line) if is_notebook(result.path) else None
    shown = f"{result.path}:{line}" if cell is None else f"{result.path}[cell {cell[0]}]:{cell[1]}"
    code = tuple((n, lines[n - 1]) for n in range(first, last + 1))
    return Place(result.path, line, finding.symbol, finding.message, shown, code)


def _order(head: Finding, pairs: list[tuple[Finding, Place]], repo: str) -> Order:
    """An order from the findings of one cause: those that are the cause first, then what stays with it."""
    marked = [(f, replace(p, main=not is_obstacle(head) or is_obstacle(f))) for f, p in pairs]
    marked.sort(key=lambda pair: (not pair[1].main, pair[1].path, pair[1].line))
    advice = dict.fromkeys([head.advice, *(f.advice for f, p in marked if not is_obstacle(head))])
    places = tuple(p for _, p in marked)
    ident = identity(head.code, _cause(head))
    return Order(
        ident, head.code, head.rung.value, head.message, tf1_did.sentence(head.code, head.symbol),
        tuple(a for a in advice if a), places, f"migrator todo {repo} --check {ident}",
        all(TESTS.search(p.path) for p in places),
    )  # fmt: skip


def _unread(result: FileResult, repo: str) -> Order:
    ident = identity(_UNREAD, result.path)
    advice = tuple(dict.fromkeys(f.advice for f in result.findings if f.code == _UNREAD and f.advice))
    place = Place(result.path, 1, "", result.error, result.path)
    return Order(
        ident, _UNREAD, "manual", result.error or f"{result.path} could not be read", "",
        advice or ("Mend the file and migrate again.",), (place,), f"migrator todo {repo} --check {ident}",
    )  # fmt: skip


def identity(code: str, cause: str) -> str:
    """The name of an order: the same for the same cause, whatever lines move."""
    return f"{code}-{hashlib.sha256(cause.encode('utf-8', 'replace')).hexdigest()[:6]}"


def checks(verify: Mapping[str, Any] | None, repo: str = ".") -> tuple[Order, ...]:
    """What is left to prove: checks that failed or did not run, or that nothing was compared."""
    if verify is None:
        return (Order(
            identity("verify", ""), "verify", "check", "Nothing was compared with TensorFlow 1 yet", "",
            ("Run it: the same weights and inputs go through both programs.",), (),
            f"migrator verify {repo}",
        ),)  # fmt: skip
    found = []
    for c in verify["checks"]:
        if c["status"] != "equal" and c.get("left", True):
            title = f"{c['workload']}, {c['name']}: {c['status']}"
            found.append(Order(
                identity("verify", title), "verify", "check", title, "",
                tuple(line for line in (c.get("detail") or "").splitlines()[:1] if line),
                (), f"migrator verify {repo} --only {c['workload']!r}",
            ))  # fmt: skip
    return tuple(found)
