"""TensorFlow's names in strings: a mock's path follows its name, other looked-up names are told."""

from __future__ import annotations

import ast
import re

from migrator import support
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit
from migrator.engine.lookup import Disposition
from migrator.engine.table_sites import TableSites
from migrator.engine.work import FileWork, code_of, rung_of, shown
from migrator.model import Change, Confidence, Rung

# A dotted name and nothing else: of TensorFlow itself, or through a module that imports it as tf (or the
# one in which it is looked up has it so).
_NAME = r"(?:tensorflow|tf|(?:[A-Za-z_]\w*\.)+(?:tf|tensorflow))((?:\.[A-Za-z_]\w*)+)"
_IN_TEXT = re.compile(rf"(['\"]){_NAME}\1")
_WHOLE = re.compile(_NAME)
# `patch("a.b.c")` of unittest.mock, mock and pytest-mock, `setattr("a.b.c", …)` of monkeypatch.
_PLACES = (ast.List, ast.Tuple, ast.Set)  # what lists modules to look in
_PATCHERS = frozenset({"patch", "setattr"})


def strings(work: FileWork, tables: TableSites) -> None:
    """Fit the paths of mocks, report the other names of TensorFlow that strings hold."""
    if _IN_TEXT.search(work.text) is None:
        return
    for node in walk(work.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = _WHOLE.fullmatch(node.value)
            if match is not None:
                _string(work, tables, node, node.value, f"tensorflow{match.group(1)}")


def _string(
    work: FileWork, tables: TableSites, node: ast.Constant, text: str, name: str
) -> None:
    found = work.rules.disposition(name)
    holder = work.parent(node)
    if isinstance(holder, ast.Expr) or found.kind == "none" or name not in work.rules.tf1:
        return
    head = text.partition(".")[0]
    if tables.dynamic.reported(holder) or (
        head == "tf" and work.names.resolve("tf") != "tensorflow"
    ):
        return
    if isinstance(holder, _PLACES) and head == "tensorflow" and (
        module := _module_for(name, found)
    ):
        _looked_up(work, node, text, name, module)
    elif head != "tf" and _is_patched(node, holder):
        _patched(work, node, text, name, found)
    elif head in ("tensorflow", "tf") and not _stays(found):
        work.report(
            "TF004",
            node,
            f"the string names {shown(name)}; what looks it up is not checked",
            f"TensorFlow 2 has it as {shown(found.target)}: change the string if it is looked up"
            + (", and migrate again, which brings it along." if found.kind == "support" else ".")
            if found.target and not found.rest
            else "If it is looked up, check that TensorFlow 2 has what is read from it.",
            shown(name),
        )


def _module_for(name: str, found: Disposition) -> str | None:
    """The module of the support package that has what a module of TF 1 had."""
    if found.kind == "support" and not found.rest and found.target.count(".") == 1:
        return found.target
    return support.named_module(name)


def _looked_up(
    work: FileWork, node: ast.Constant, text: str, name: str, module: str
) -> None:
    """A module's path, among places to look in, becomes the path of the one with TF 1's names."""
    reason = f"names are looked up in {shown(name)} when the program runs"
    if work.off("TF201", node):
        return
    if not work.options.sure(Confidence.LIKELY):
        work.held_back("TF201", node, reason, Confidence.LIKELY, shown(name))
        return
    start, end = work.span(node)
    quote = work.text[start]
    if work.text[start:end] != f"{quote}{text}{quote}":
        return
    change = Change(
        "TF201", node.lineno, node.end_lineno or node.lineno, reason, shown(name), Rung.SUPPORT,
        Confidence.LIKELY,
    )  # fmt: skip
    work.edits.append(Edit(start, end, (f"{quote}{module}{quote}",), change))


def _stays(found: Disposition) -> bool:
    return found.kind in ("same", "rule") and found.exists and not found.rest


def _is_patched(node: ast.Constant, holder: ast.AST | None) -> bool:
    """Whether the string is the path that a mock takes the place of."""
    return (
        isinstance(holder, ast.Call)
        and holder.args[:1] == [node]
        and ast.unparse(holder.func).rpartition(".")[2] in _PATCHERS
    )


def _patched(
    work: FileWork, node: ast.Constant, text: str, name: str, found: Disposition
) -> None:
    if _stays(found):
        return
    code = code_of(found)
    start, end = work.span(node)
    quote = work.text[start]
    plain = work.text[start:end] == f"{quote}{text}{quote}"
    if found.kind not in ("rename", "support") or found.rest or not found.target or not plain:
        work.report(
            "TF004",
            node,
            f"the mock takes the place of {shown(name)}, which migrated code does not call",
            "Name what the migrated code calls instead.",
            shown(name),
        )
        return
    if work.off(code, node):
        return
    reason = f"{shown(name)} is patched where it is now, {shown(found.target)}"
    change = Change(
        code, node.lineno, node.end_lineno or node.lineno, reason, shown(name), rung_of(found),
        Confidence.PROVEN,
    )  # fmt: skip
    work.edits.append(Edit(start, end, (f"{quote}{found.target}{quote}",), change))
