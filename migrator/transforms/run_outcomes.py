"""What a plan does to each place that runs a session: the rung it gets, and why."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from migrator.engine.linemap import line_map
from migrator.model import FileResult, Rung
from migrator.transforms.sessions.helpers import looks_like_run


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One place that runs a graph.

    `line` is 1-based; `scope` the function or method it is in ("" at module level); `fetches` the
    fetched expressions as written, `feeds` the names of what is fed; `function` the name of the
    function that it will call, if one is made; `reason` says why it gets its `rung`.
    """

    path: str
    line: int
    scope: str
    fetches: str
    feeds: tuple[str, ...]
    rung: Rung
    reason: str
    function: str = ""


_KEPT = ("TF390", "TF005", "TF391")
_MADE = ("TF3", "TF5", "TF7")
_CALL = "the run becomes a call of "


def run_outcomes(result: FileResult) -> tuple[RunRecord, ...]:
    """The run sites of one planned file in source order; empty for a file that cannot be parsed.

    A run that is gone is native, and what was done there says how; one that is left has the
    finding of its function (or class) as its reason.
    """
    if ".run(" not in result.old_text:
        return ()
    try:
        old = ast.parse(result.old_text)
        new = ast.parse(result.new_text or result.old_text)
    except (SyntaxError, ValueError):
        return ()
    lines = line_map(result.old_text, result.new_text or result.old_text)
    left = Counter(lines.original(call.lineno) for call, _ in _runs(new))
    left.update(_untouched(list(_runs(old)), list(_runs(new)), left))
    for change in result.changes:  # ``sess.run`` of a parameter that is given a loaded graph
        if change.code == "TF321":
            left.pop(change.line, None)
    return tuple(
        _record(result, call, path, left)
        for call, path in sorted(_runs(old), key=lambda pair: pair[0].lineno)
    )


def _untouched(
    old: list[tuple[ast.Call, tuple[ast.AST, ...]]], new: list[tuple[ast.Call, tuple[ast.AST, ...]]],
    left: Counter[int],
) -> Counter[int]:
    """Runs of functions that have as many as before, where a line's changes hid them from `left`."""
    def by_scope(runs: list[tuple[ast.Call, tuple[ast.AST, ...]]]) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = {}
        for call, path in runs:
            found.setdefault(".".join(getattr(n, "name", "") for n in path), []).append(call)
        return found

    missed: Counter[int] = Counter()
    after = by_scope(new)
    for scope, calls in by_scope(old).items():
        if len(after.get(scope, ())) == len(calls):
            missed.update(call.lineno for call in calls)
    return missed - left


def _runs(tree: ast.Module) -> Iterator[tuple[ast.Call, tuple[ast.AST, ...]]]:
    stack: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while stack:
        node, path = stack.pop()
        if isinstance(node, ast.Call) and looks_like_run(node):
            yield node, path
        scope = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        for child in ast.iter_child_nodes(node):
            stack.append((child, (*path, node) if scope else path))


def _record(
    result: FileResult, call: ast.Call, path: tuple[ast.AST, ...], left: Counter[int]
) -> RunRecord:
    own = range(call.lineno, (call.end_lineno or call.lineno) + 1)
    kept = next((line for line in own if left[line]), 0)
    function = ""
    if kept:
        left[kept] -= 1
        rung, reason = Rung.COMPAT, _why_kept(result, path)
    else:
        changes = [c for c in result.changes
                   if c.code.startswith(_MADE) and c.line <= own.stop and c.end_line >= own.start]
        near = [c.reason for c in changes]
        graph = any(c.code == "TF302" and c.rung is Rung.SUPPORT for c in changes)
        rung = Rung.SUPPORT if graph else Rung.NATIVE
        reason = near[0] if near else "computed eagerly"
        function = next((r.removeprefix(_CALL) for r in near if r.startswith(_CALL)), "")
    feeds: list[str] = []
    for node in [*call.args[1:2], *(a.value for a in call.keywords if a.arg == "feed_dict")]:
        keys = node.keys if isinstance(node, ast.Dict) else [node]
        feeds += [ast.unparse(key) for key in keys if key is not None]
    return RunRecord(
        result.path, call.lineno, ".".join(getattr(node, "name", "") for node in path),
        ast.unparse(call.args[0]) if call.args else "", tuple(feeds), rung, reason, function,
    )


def _why_kept(result: FileResult, path: tuple[ast.AST, ...]) -> str:
    """The reason that was given in the innermost scope around a run, TF390 before others."""
    for scope in [*reversed(path), None]:
        first = getattr(scope, "lineno", 1)
        last = getattr(scope, "end_lineno", 10**9) or 10**9
        inside = [f for f in result.findings if f.code in _KEPT and first <= f.line <= last]
        if inside:
            best = min(inside, key=lambda f: (_KEPT.index(f.code), f.line))
            return f"line {best.line}: {best.message.removeprefix('Session program kept: ')}"
    return "no reason was given"
