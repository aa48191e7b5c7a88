"""Where a line of a plan is for people and tools: in a notebook, a line of a cell.

A notebook is planned as one module; its lines stand in no file. People are told the cell and the line
in it, tools the line of the `.ipynb` file that the cell's line is written on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from migrator.model import Plan
from migrator.project import notebook
from migrator.project.source import SourceError
from migrator.project.tree import read


class Places:
    """The places of one plan's files."""

    def __init__(self, plan: Plan) -> None:
        self._root = Path(plan.root)
        self._texts: Mapping[str, str] = {
            f.path: f.old_text for f in plan.files if notebook.is_notebook(f.path)
        }
        self._lines: dict[str, dict[int, list[int]]] = {}

    def shown(self, path: str, line: int) -> str:
        """``pkg/a.py:12``, or ``intro.ipynb[cell 3]:2``."""
        found = notebook.cell_of(self._texts.get(path, ""), line)
        return f"{path}:{line}" if found is None else f"{path}[cell {found[0]}]:{found[1]}"

    def label(self, path: str, line: int) -> str:
        """``cell 3, line 2: `` before a message about a notebook; else empty."""
        found = notebook.cell_of(self._texts.get(path, ""), line)
        return "" if found is None else f"cell {found[0]}, line {found[1]}: "

    def line(self, path: str, line: int) -> int:
        """The 1-based line of the file itself; 1 where a notebook cannot be read any more."""
        found = notebook.cell_of(self._texts.get(path, ""), line)
        if found is None:
            return line
        if path not in self._lines:
            self._lines[path] = self._starts(path)
        lines = self._lines[path].get(found[0]) or [1]
        return lines[min(found[1], len(lines)) - 1]

    def _starts(self, path: str) -> dict[int, list[int]]:
        try:
            data, _ = read(self._root, path)
            return notebook.cell_lines(data, path)
        except SourceError:
            return {}
