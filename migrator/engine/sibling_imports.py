"""Imports that Python 2 found in the package's own folder, and Python 3 looks for on sys.path: PY106.

``import net`` in `yolo/solver.py` is `yolo/net.py` there. It becomes ``from . import net``; where the folder
is on sys.path for some script as well, the module asks in which way it was imported.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable

from migrator.analysis.index import ModuleInfo, ProjectIndex
from migrator.analysis.names import NameTable
from migrator.analysis.python2 import guarded
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines
from migrator.model import Change, Confidence, Finding

CODE = "PY106"
_ENDINGS = (".py", "/__init__.py", ".pyx")
_FROM = re.compile(r"from[ \t]+(?=\w)")
Import = ast.Import | ast.ImportFrom


def sibling_imports(
    path: str, text: str, names: NameTable, index: ProjectIndex,
    wanted: Callable[[int], bool] = bool, original: Callable[[int], int] = int,
) -> tuple[list[Edit], list[Change], list[Finding]]:
    """Edits of a module of Python 2, what to report of them, and what a person must write.

    `wanted` says of a line whether it may be changed, `original` which line of the file it was.
    """
    edits: list[Edit] = []
    changes: list[Change] = []
    findings: list[Finding] = []
    info = index.module_at(path)
    tree = names.tree
    assert isinstance(tree, ast.Module)
    folder = path.rpartition("/")[0]
    if info is None or f"{folder}/__init__.py" not in index.modules or _looks_on_the_path(tree):
        return edits, changes, findings
    alone = not index.importers(path) and not info.is_package
    if alone and info.summary.has_main:
        return edits, changes, findings  # a script: its folder is on sys.path
    found = [(node, own) for node in walk(tree) if isinstance(node, Import)
             and (own := [name for name in _names(node) if _is_sibling(name, info, index)])]
    if not found:
        return edits, changes, findings
    by_chance = guarded(tree)
    both = alone or info.summary.has_main or _is_on_path(folder, path, index)
    lines = Lines(text)
    for node, own in found:
        if id(node) in by_chance:
            continue
        line = original(node.lineno)
        edit = _edit(node, own, both, lines)
        if edit is None:
            findings.append(Finding(
                CODE, path, line, node.col_offset,
                f"Python 2 found {own[0]} in the folder of this module, Python 3 looks on sys.path only",
                "Write an import with a dot, or the module's whole name.",
            ))  # fmt: skip
        elif wanted(node.lineno):
            edits.append(edit)
            changes.append(Change(
                CODE, line, original(node.end_lineno or node.lineno),
                "Python 2 found this module in the package's own folder", confidence=Confidence.LIKELY,
            ))  # fmt: skip
    return edits, changes, findings


def _looks_on_the_path(tree: ast.Module) -> bool:
    """Whether the module asked Python 2 to look where Python 3 does."""
    return any(
        isinstance(s, ast.ImportFrom) and s.module == "__future__"
        and any(alias.name == "absolute_import" for alias in s.names)
        for s in tree.body
    )  # fmt: skip


def _names(node: Import) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if node.module and not node.level else []


def _is_sibling(name: str, info: ModuleInfo, index: ProjectIndex) -> bool:
    """Whether Python 2 found a module of that name in the folder. A name that the standard library has
    is taken for its own where nothing in the module itself is Python 2's."""
    first = name.partition(".")[0]
    if first in sys.stdlib_module_names and not info.summary.python2:
        return False
    place = f"{info.path.rpartition('/')[0]}/{first}"
    return any(
        place + ending != info.path and (
            place + ending in index.modules or ending == ".pyx" and index.text(place + ending) is not None)
        for ending in _ENDINGS
    )  # fmt: skip


def _is_on_path(folder: str, path: str, index: ProjectIndex) -> bool:
    """Whether some program has the folder on sys.path, and gets at the module by that."""
    for other, info in index.modules.items():
        home = other.rpartition("/")[0]
        if home != folder:
            if folder in index.needs(other):
                return True
        elif other != path and not info.is_package and (
                info.summary.has_main or not index.importers(other)) and _reaches(other, path, index):
            return True
    return False


def _reaches(start: str, path: str, index: ProjectIndex) -> bool:
    """Whether a module imports another one of its folder, itself or by others of the folder."""
    home = path.rpartition("/")[0]
    seen = {start}
    queue = [start]
    for module in queue:  # grows on the way
        for target in index.imported(module):
            if target == path:
                return True
            if target not in seen and target.rpartition("/")[0] == home:
                seen.add(target)
                queue.append(target)
    return False


def _edit(node: Import, own: list[str], both: bool, lines: Lines) -> Edit | None:
    """The import out of the folder; None where it cannot be written in its place."""
    start, end = lines.span(node)
    written = lines.text[start:end]
    if isinstance(node, ast.ImportFrom):
        head = _FROM.match(written)
        if head is None:
            return None
        relative = [f"{head[0]}.{written[head.end():]}"]
    else:
        if any("." in name for name in own):
            return None
        others = [ast.unparse(alias) for alias in node.names if alias.name not in own]
        mine = [ast.unparse(alias) for alias in node.names if alias.name in own]
        relative = [f"import {', '.join(others)}"] if others else []
        relative.append(f"from . import {', '.join(mine)}")
    if not both and len(relative) == 1:
        return Edit(start, end, (relative[0],))
    indent = lines.indent(node.lineno)
    first = lines.starts[node.lineno - 1]
    after = lines.text[end:].partition("\n")[0].strip()
    if lines.text[first:start] != indent or after.startswith(";"):
        return None
    if both:
        if "\n" in written:
            return None
        relative = ["if __package__:", *(f"    {line}" for line in relative), "else:", f"    {written}"]
    return Edit(start, end, ((lines.newline + indent).join(relative),))
