"""A file with only some hunks of its plan: which text that is, and what would be wrong with it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import replace

from migrator.model import FileResult, Plan, Status
from migrator.project.diff import hunks, lines_of
from migrator.project.linediff import matcher
from migrator.project.results import Results

_MODULE_NAMES = frozenset(
    (
        *dir(builtins), "__file__", "__name__", "__doc__", "__package__", "__spec__", "__loader__",
        "__path__", "__class__", "__module__", "__qualname__", "__builtins__", "__annotations__",
        "get_ipython", "display", "In", "Out", "_",
    )
)  # fmt: skip


def text_with(result: FileResult, accepted: Sequence[bool]) -> str:
    """The text of a changed file with the accepted ones of its `diff.hunks`, in their order."""
    old, new = lines_of(result.old_text), lines_of(result.new_text or "")
    groups = list(matcher(old, new).get_grouped_opcodes(3))
    if len(groups) != len(accepted):
        raise ValueError(f"{len(accepted)} decisions for {len(groups)} hunks of {result.path}")
    parts: list[str] = []
    at = 0
    for group, take in zip(groups, accepted, strict=True):
        first, last = group[0], group[-1]
        parts += old[at : first[1]]
        parts += new[first[3] : last[4]] if take else old[first[1] : last[2]]
        at = last[2]
    return "".join([*parts, *old[at:]])


def problem(result: FileResult, text: str) -> str:
    """Why a partly accepted Python file would not run: empty, or a sentence.

    It must parse, if the whole of the plan's new text does, and every name that it uses must be
    bound somewhere in it, if it is in the original or in the whole new text.
    """
    if not result.path.endswith((".py", ".ipynb")):
        return ""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        return f"the file would not parse (line {line}: {getattr(error, 'msg', error)})"
    missing = _unbound(tree) or set()
    for whole in (result.old_text, result.new_text or ""):
        try:
            missing -= _unbound(ast.parse(whole)) or set()
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    if missing:
        names = ", ".join(sorted(missing))
        return f"nothing in the file would define {names}"
    return ""


def _unbound(tree: ast.Module) -> set[str] | None:
    """Names that are read and that nothing in the file binds, in whatever scope."""
    read: set[str] = set()
    bound: set[str] = set(_MODULE_NAMES)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            if node.name == "*":
                return None
            bound.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bound.add(node.rest)
    return read - bound


def chosen(plan: Plan, decisions: dict[str, list[bool]]) -> Plan:
    """The plan with only the accepted hunks; `decisions` has a list for each changed file.

    Files of which nothing was accepted become SKIPPED; support files that no accepted text needs
    are left out.
    """
    files = Results()
    users: list[str] = []
    for result in plan.files:
        if result.status is not Status.CHANGED:
            files.put(result)
            continue
        accepted = decisions[result.path]
        if not any(accepted):
            kept = replace(
                result, status=Status.SKIPPED, new_text=None, changes=(), support=frozenset()
            )
            files.put(kept)
            continue
        if not all(accepted):
            from migrator.engine.support_use import used_support  # with what parses

            pairs = zip(hunks(result), accepted, strict=True)
            made = {change for hunk, take in pairs if take for change in hunk.changes}
            text = text_with(result, accepted)
            result = replace(
                result, new_text=text, support=used_support(text),
                changes=tuple(change for change in result.changes if change in made),
            )  # fmt: skip
        if result.support:
            users.append(result.path)
        files.put(result)
    return replace(plan, files=files.done(), support_files=needed_support(plan, users))


def needed_support(plan: Plan, users: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The support files of a plan of which only the files `users` import some: all or none, as the
    package is one."""
    return plan.support_files if users else ()
