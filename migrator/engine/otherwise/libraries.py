"""Names, methods and arguments that companion libraries, or Python itself, have no longer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from itertools import chain

from migrator.analysis import libraries
from migrator.analysis.tree_walk import walk
from migrator.check.records import Role, Use
from migrator.check.units import Reader
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

CODE = "PY242"
_IMPORTS = re.compile(r"^[ \t]*(?:import|from)[ \t]+(.+)", re.MULTILINE)
_DOTTED = re.compile(r"[\w.]+")
_WORD = re.compile(r"\w+")


@tells(unchanged=True)
def gone(changed: Changed) -> Iterator[Finding]:
    """What the text goes on saying after all edits, at the line of the original."""
    imported = {name for line in _IMPORTS.findall(changed.after.text) for name in _DOTTED.findall(line)}
    tops = {name.partition(".")[0] for name in imported} & libraries.tops()
    if not tops:
        return
    told: set[tuple[int, str]] = set()
    named = chain(imported, changed.after.names.referenced())
    if any(libraries.gone(name) or libraries.arguments(name) for name in named):
        reader = Reader(changed.path, changed.after, wanted=lambda path: path.partition(".")[0] in tops)
        for use in reader.unit().uses:
            found = None if use.guard or changed.of_after(use.line) in changed.said else _of(use)
            if found is not None and (use.line, found[0]) not in told:
                told.add((use.line, found[0]))
                yield changed.told_after(CODE, use.line, use.column, *found)
    yield from _methods(changed, tops & libraries.libraries(), {line for line, _ in told})


def _of(use: Use) -> tuple[str, str] | None:
    """What is to be said of a name that leads into a library, and what to do."""
    found = libraries.gone(use.path)
    if found is not None:
        what = f"{found.release} has no {found.name} any more"
        if found.now:
            return what, f"There is a {found.now} now: see whether it is the same."
        library = found.release.rpartition(" ")[0]
        return what, f"See the release notes of {library} for what took its place, or write it by hand."
    takes = libraries.arguments(use.path) if use.role is Role.CALLED else None
    if takes is None or use.shape is None:
        return None
    for keyword in use.shape.keywords:
        if keyword in takes.gone:
            now = takes.gone[keyword]
            return (f"{takes.release} takes no argument {keyword} in {use.path}",
                    f"At its place there is {now} now: see whether it is the same." if now else
                    "Leave it out if what it asked for is done without it, too; see the release notes else.")
    if takes.limit is not None and use.shape.positional > takes.limit:
        return (f"{takes.release} takes {takes.limit} arguments by position in {use.path}, and "
                f"{use.shape.positional} are given", "Give the others by name.")
    return None


def _methods(changed: Changed, tops: Set[str], told: Set[int]) -> Iterator[Finding]:
    """Calls and subscripts of attributes that only classes of these libraries had, by their name."""
    known = {name: (top, classes) for top in sorted(tops) for name, classes in libraries.methods(top).items()}
    used = known.keys() & set(_WORD.findall(changed.after.text))
    used = {name for name in used if not any(
        re.search(rf"\bdef {name}\b|\.{name}[ \t]*=[^=]", text) for text in changed.texts)}
    for node in walk(changed.after.tree) if used else ():
        owner = node.func if isinstance(node, ast.Call) else getattr(node, "value", None)
        if not isinstance(node, (ast.Call, ast.Subscript)) or not isinstance(owner, ast.Attribute) or (
                owner.attr not in used or owner.lineno in told
                or changed.of_after(owner.lineno) in changed.said):
            continue
        top, classes = known[owner.attr]
        path = changed.after.names.resolve_node(owner) or ""
        if path.partition(".")[0] != top if path else _is_self(owner.value):
            continue
        library = libraries.release(top)
        yield changed.told_after(
            CODE, owner.lineno, owner.col_offset,
            f"{library} has no {owner.attr} any more, which {' and '.join(classes)} had",
            f"Nothing is to be done if this is no object of these; see the release notes of "
            f"{library.rpartition(' ')[0]} else.",
        )  # fmt: skip


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")
