"""A notebook's code cells as one Python module, and a changed module back into its cells.

Each cell starts with a mark: a comment on a statement that does nothing, so that it stays where it is
when the statements around it go. Lines for IPython are such comments, too. People are shown both as the
notebook has them (`displayed`). On the way back only the JSON of changed cells' sources is replaced; every
other byte of the file stays.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tokenize
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from migrator.lines import indentation
from migrator.project.source import (
    SourceError,
    SourceFile,
    decode,
    encode,
    newline_style,
    sha256,
)

SUFFIX = ".ipynb"
_SPACE = re.compile(r"[ \t\r\n]*")
# The plain comment stands where no statement may: before an import from __future__.
_MARK = re.compile(r"(?:pass  )?# %% \[cell (\d+)\]")
_FUTURE = re.compile(r"^from __future__ import ", re.MULTILINE)
_PASS = "pass  # ipython: "
_NEXT = "pass  # ipython continued: "
_HIDDEN = re.compile(r"([ \t]*)pass  # ipython(?P<next> continued)?: (.*)", re.DOTALL)
# Possessive: where names end, and spaces, is tried once.
_ASSIGNED = re.compile(r"([ \t]*+[\w., \t]++=[ \t]*+)([%!].*)", re.DOTALL)
_ASSIGNED_HIDDEN = re.compile(r"([ \t]*+[\w., \t]++=[ \t]*+)None  # ipython: (.*)", re.DOTALL)
# What installs or chooses packages may change; how, nobody here can tell.
_CHOOSES = re.compile(r"(?P<what>.*?[%!](?:pip3? install|tensorflow_version))\b.*", re.DOTALL)
_HELP = re.compile(r"\?{0,2}[%\w.*]+\?{1,2}|\?{1,2}[%\w.*]+")
# Cell magics whose body is Python of the notebook's own namespace; others keep their cell as it is.
_PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its number among all cells (from 1), its source, and where that is written."""

    number: int
    source: str
    start: int
    end: int


def is_notebook(path: Path | str) -> bool:
    """Whether a file is a notebook, by its name."""
    return str(path).endswith(SUFFIX)


def decode_module(data: bytes, path: Path | str, mode: int = 0o644) -> SourceFile:
    """A source file's bytes as a module; of a notebook its code cells (`decode` for the rest).

    Raises SourceError for what is no notebook of format 4, or has cells that cannot be kept apart.
    A notebook in another language than Python is an empty module.
    """
    if not is_notebook(path):
        return decode(data, path, mode)
    raw, cells = _cells(data, path)
    text = _module(cells)
    if _split(text) != {cell.number: cell.source for cell in cells}:
        raise SourceError(path, "has lines that look like migrator's own cell marks; change them")
    return SourceFile(Path(path), text, "utf-8", raw.bom, newline_style(text), sha256(data), mode)


def encode_module(source: SourceFile, new_text: str, data: bytes) -> bytes:
    """The bytes of a file whose module becomes `new_text`; `data` are those it has now.

    Raises SourceError where cells or IPython lines were lost, moved or doubled.
    """
    if not is_notebook(source.path):
        return encode(source, new_text)
    raw, cells = _cells(data, source.path)
    if new_text == source.text:
        return data
    if marks(new_text) != marks(source.text):
        raise SourceError(source.path, "cell boundaries or IPython lines would be lost")
    found = _split(new_text)
    parts: list[str] = []
    at = 0
    for cell in cells:
        new = found[cell.number]
        if new != cell.source:
            new = new if cell.source.startswith("\n") else new.lstrip("\n")
            new = new if cell.source.endswith("\n") else new.rstrip("\n")
            parts += [raw.text[at : cell.start], _written(raw.text, cell, new)]
            at = cell.end
    return encode(raw, "".join([*parts, raw.text[at:]]))


def marks(text: str) -> list[str]:
    """The cell marks and IPython lines of a module, in order; of those that choose packages what they
    do. A cell magic that is no longer the first line of its cell is none."""
    found = []
    previous = ""
    for line in text.split("\n"):
        above, previous = previous, line
        if line.startswith(f"{_PASS}%%") and not _MARK.fullmatch(above):
            continue
        if _MARK.fullmatch(line):
            found.append(line)
        elif "  # ipython" in line and (_HIDDEN.fullmatch(line) or _ASSIGNED_HIDDEN.fullmatch(line)):
            chooses = _CHOOSES.fullmatch(line.strip())
            found.append(chooses["what"] if chooses else line.strip())
    return found


def displayed(line: str) -> str:
    """A line of a notebook's module as people are shown it: marks as comments, IPython as it is."""
    mark = _MARK.fullmatch(line)
    return f"# %% [cell {mark[1]}]" if mark else _shown(line)


def first_line(module: str, number: int) -> int | None:
    """The line, from 1, of the mark of a cell; None where the module does not have the cell."""
    return next((line for line, cell in _starts(module) if cell == number), None)


def cell_of(module: str, line: int) -> tuple[int, int] | None:
    """(cell, line in it), both from 1, of a line of a notebook's module; None outside of cells."""
    starts = _starts(module)
    above = bisect_right(starts, (line, sys.maxsize)) - 1
    return (starts[above][1], max(line - starts[above][0], 1)) if above >= 0 else None


def shows(module: str, line: int) -> bool:
    """Whether a notebook shows the value of the expression that ends on a line of its module: the
    last one of a cell, without a semicolon behind it."""
    if not _starts(module):
        return False
    lines = module.split("\n")
    if lines[line - 1].partition("#")[0].rstrip().endswith(";"):
        return False
    rest = (text for text in lines[line:] if text.strip())
    return next((bool(_MARK.fullmatch(text)) for text in rest if _MARK.fullmatch(text)
                 or not text.lstrip().startswith("#")), True)


@lru_cache(maxsize=4)
def _starts(module: str) -> list[tuple[int, int]]:
    """The lines of the marks, and the cells that they begin."""
    lines = enumerate(module.split("\n"), 1)
    return [(n, int(mark[1])) for n, text in lines if (mark := _MARK.fullmatch(text))]


def cell_lines(data: bytes, path: Path | str) -> dict[int, list[int]]:
    """For each code cell, the lines of the file (from 1) that its lines are written on.

    Raises SourceError as `decode_module` does.
    """
    raw, cells = _cells(data, path)
    ends = [at for at, character in enumerate(raw.text) if character == "\n"]
    found = {}
    for cell in cells:
        starts = [cell.start]
        if raw.text[cell.start] == "[":
            starts = [start for start, _ in _items(raw.text, cell.start)] or starts
        found[cell.number] = [bisect_left(ends, start) + 1 for start in starts]
    return found


# -- the file


def _cells(data: bytes, path: Path | str) -> tuple[SourceFile, list[Cell]]:
    import nbformat  # slow, and most trees have no notebook

    try:
        text = data.decode("utf-8-sig")
        document = nbformat.reader.reads(text)
        version = nbformat.reader.get_version(document)[0]
    except Exception as error:  # nbformat raises its own, json's, and AttributeErrors
        raise SourceError(path, f"is not a notebook: {str(error)[:200]}") from error
    if version != 4:
        raise SourceError(
            path, f"is a notebook of format {version}; convert it: jupyter nbconvert --to notebook"
        )
    raw = SourceFile(
        Path(path), text, "utf-8", data.startswith(b"\xef\xbb\xbf"), "", sha256(data)
    )
    try:
        metadata = document.get("metadata", {})
        language = metadata.get("language_info", {}).get("name") or metadata.get(
            "kernelspec", {}
        ).get("language", "python")
    except AttributeError as error:
        raise SourceError(path, f"is not a notebook: its metadata is of another kind ({error})") from error
    if "python" not in str(language).lower():
        return raw, []
    try:
        return raw, _code_cells(text)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise SourceError(path, f"is not a notebook: {error}") from error


def _members(text: str, at: int) -> tuple[dict[str, tuple[int, int]], int]:
    """Spans of the values of the JSON object at `at`, by key."""
    spans: dict[str, tuple[int, int]] = {}
    at = _after(text, at + 1)
    while text[at] != "}":
        key, at = json.JSONDecoder().raw_decode(text, at)
        start = _after(text, _after(text, at) + 1)
        end = json.JSONDecoder().raw_decode(text, start)[1]
        spans[key] = (start, end)
        at = _after(text, end)
        at = _after(text, at + 1) if text[at] == "," else at
    return spans, at + 1


def _items(text: str, at: int) -> list[tuple[int, int]]:
    """Spans of the items of the JSON array at `at`."""
    spans = []
    at = _after(text, at + 1)
    while text[at] != "]":
        end = json.JSONDecoder().raw_decode(text, at)[1]
        spans.append((at, end))
        at = _after(text, end)
        at = _after(text, at + 1) if text[at] == "," else at
    return spans


def _after(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _code_cells(text: str) -> list[Cell]:
    top, _ = _members(text, _after(text, 0))
    cells = []
    for number, (start, _end) in enumerate(_items(text, top["cells"][0]), 1):
        spans, _ = _members(text, start)
        kind = json.loads(text[slice(*spans["cell_type"])])
        if kind != "code":
            continue
        value = json.loads(text[slice(*spans["source"])])
        source = "".join(value) if isinstance(value, list) else value
        if not isinstance(source, str):
            raise ValueError(f"cell {number}: the source is no text")
        source.encode("utf-8")  # a lone surrogate is a ValueError
        if not _is_opaque(source):
            cells.append(Cell(number, source, *spans["source"]))
    return cells


def _is_opaque(source: str) -> bool:
    """Whether a cell is another language's, or must not be touched: NUL, bare carriage returns."""
    head = source.lstrip()
    magic = head.split(None, 1)[0] if head.startswith("%%") else ""
    return bool(magic and magic not in _PYTHON_MAGICS) or "\0" in source or "\r" in source


def _written(text: str, cell: Cell, source: str) -> str:
    """A cell's new source as JSON in the form of the old: text or list, spacing, escapes."""
    ascii_only = text.isascii() and "\\u" in text
    if text[cell.start] == '"':
        return json.dumps(source, ensure_ascii=ascii_only)
    spans = _items(text, cell.start)
    old = {json.loads(text[a:b]): text[a:b] for a, b in spans}
    lines = source.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    first = text[cell.start + 1 : spans[0][0]] if spans else ""
    last = text[spans[-1][1] : cell.end - 1] if spans else ""
    gap = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else "," + (first or " ")
    body = gap.join(old.get(line) or json.dumps(line, ensure_ascii=ascii_only) for line in lines)
    return f"[{first}{body}{last}]" if lines else "[]"


# -- the module


def _module(cells: list[Cell]) -> str:
    future = [n for n, cell in enumerate(cells) if _FUTURE.search(cell.source)]
    plain = future[-1] + 1 if future else 0
    return "".join(
        f"{'' if n < plain else 'pass  '}# %% [cell {cell.number}]\n{_hidden(cell.source)}\n"
        for n, cell in enumerate(cells)
    )


def _split(text: str) -> dict[int, str]:
    """Each cell's source; what stands before the first mark belongs to the first cell."""
    found: dict[int, list[str]] = {}
    before: list[str] = []
    current = before
    lines = text.split("\n")
    for line in lines[:-1] if lines[-1] == "" else lines:
        mark = _MARK.fullmatch(line)
        if mark and int(mark[1]) not in found:
            current = found[int(mark[1])] = list(before)
            before = []
        else:
            current.append(_shown(line))
    return {number: "\n".join(own) for number, own in found.items()}


def _hidden(source: str) -> str:
    """A cell as Python: what only IPython understands becomes a comment on `pass`."""
    try:
        ast.parse(source)
        return source
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    lines: list[str] = []
    rows = source.split("\n")
    inside = 0  # a statement that goes on up to this line
    continued = False
    for number, line in enumerate(rows):
        body = line.strip()
        indent = indentation(line)
        assigned = _ASSIGNED.fullmatch(line)
        if continued:
            lines.append(f"{indentation(lines[-1])}{_NEXT}{line}")
        elif number >= inside and (body.startswith(("%", "!")) or _HELP.fullmatch(body)):
            lines.append(f"{indent}{_PASS}{line[len(indent) :]}")
        elif number >= inside and assigned:
            lines.append(f"{assigned[1]}None  # ipython: {assigned[2]}")
        else:
            lines.append(line)
            if number >= inside:
                inside = _end_of(rows, number)
            continue
        continued = line.endswith("\\")
    return "\n".join(lines)


def _end_of(rows: list[str], start: int) -> int:
    """The line after the statement, comment or empty line that begins in line `start` (from 0)."""
    taken = 0

    def readline() -> str:
        nonlocal taken
        if start + taken >= len(rows):
            return ""
        row = rows[start + taken]
        taken += 1
        return (row.lstrip() if taken == 1 else row) + "\n"

    begun = False
    try:
        for token in tokenize.generate_tokens(readline):
            if token.type == tokenize.NEWLINE or (token.type == tokenize.NL and not begun):
                return start + token.start[0]
            begun = begun or token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENCODING)
    except tokenize.TokenError:
        return len(rows)  # it does not end
    except SyntaxError:
        pass
    return start + max(taken, 1)


def with_magics(text: str, change: Callable[[str, int], str]) -> str:
    """The module with its IPython lines as `change` (of the line and its number) gives them."""
    rows = text.split("\n")
    for number, row in enumerate(rows):
        hidden = _HIDDEN.fullmatch(row)
        if hidden and not hidden["next"]:
            rows[number] = f"{hidden[1]}{_PASS}{change(hidden[3], number + 1)}"
    return "\n".join(rows)


def _shown(line: str) -> str:
    """A line of the module as the notebook has it."""
    hidden: Any = _HIDDEN.fullmatch(line)
    if hidden:
        return str(hidden[3]) if hidden["next"] else f"{hidden[1]}{hidden[3]}"
    assigned = _ASSIGNED_HIDDEN.fullmatch(line)
    return f"{assigned[1]}{assigned[2]}" if assigned else line
