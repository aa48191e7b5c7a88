"""Notebooks in an editor: cells as the one module that they are, and its results back to the cells."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lsprotocol import types

from migrator.project import notebook
from migrator.project.source import SourceError, SourceFile

_WHOLE_LINE = 10_000  # a column beyond the end means the end


@dataclass(frozen=True)
class Cell:
    """A cell as the editor has it; `python` is False for text and other languages."""

    uri: str
    source: str
    python: bool


@dataclass(frozen=True)
class Notebook:
    """An open notebook. Making its module raises SourceError for cells that cannot be kept apart."""

    path: Path
    cells: tuple[Cell, ...]

    @cached_property
    def data(self) -> bytes:
        """An `.ipynb` file of these cells: what the module is read from and written back to."""
        cells: list[dict[str, object]] = [
            {"cell_type": "code", "metadata": {}, "source": cell.source, "outputs": [],
             "execution_count": None}
            if cell.python else {"cell_type": "raw", "metadata": {}, "source": cell.source}
            for cell in self.cells
        ]  # fmt: skip
        file = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
        return json.dumps(file).encode()

    @cached_property
    def module(self) -> SourceFile:
        """All code cells as one module."""
        return notebook.decode_module(self.data, self.path)

    def diagnostics(
        self, found: Sequence[types.Diagnostic]
    ) -> dict[str, list[types.Diagnostic]]:
        """Diagnostics of the module by the URI of their cell, with lines of the cell."""
        by_cell: defaultdict[str, list[types.Diagnostic]] = defaultdict(list)
        for cell in self.cells:
            by_cell[cell.uri] = []
        for item in found:
            place = self._place(item.range.start.line)
            if place is None:
                continue
            number, line = place
            end = self._place(item.range.end.line)
            last = end[1] if end is not None and end[0] == number else line
            start = types.Position(line, item.range.start.character)
            by_cell[self.cells[number].uri].append(
                types.Diagnostic(
                    types.Range(start, types.Position(max(last, line), _WHOLE_LINE)),
                    item.message, severity=item.severity, code=item.code, source=item.source,
                )
            )  # fmt: skip
        return dict(by_cell)

    def module_range(self, uri: str, where: types.Range) -> types.Range | None:
        """A range of a cell as lines of the module, None for a cell that is not in it."""
        for number, cell in enumerate(self.cells, 1):
            if cell.uri == uri and cell.python:
                first = notebook.first_line(self.module.text, number) or 0
                start = types.Position(first + where.start.line, 0)
                return types.Range(start, types.Position(first + where.end.line, 0))
        return None

    def edit(self, text: str) -> types.WorkspaceEdit | None:
        """What gives the module this text, cell by cell; None where cells would be lost."""
        try:
            made = json.loads(notebook.encode_module(self.module, text, self.data))["cells"]
        except SourceError:
            return None
        changes = {}
        for cell, new in zip(self.cells, made, strict=True):
            if new["source"] != cell.source:
                end = types.Position(cell.source.count("\n") + 1, 0)
                whole = types.Range(types.Position(0, 0), end)
                changes[cell.uri] = [types.TextEdit(whole, new["source"])]
        return types.WorkspaceEdit(changes=changes)

    def _place(self, line: int) -> tuple[int, int] | None:
        """(cell, line in it), both from 0, of a line of the module."""
        found = notebook.cell_of(self.module.text, line + 1)
        return None if found is None else (found[0] - 1, found[1] - 1)
