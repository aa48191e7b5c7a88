"""One function of a file in LibCST without the rest: parsing whole files costs more than all else.

The function's lines are parsed behind a small frame that gives them the file's indentation and
line ends; scopes and positions are paired with those of the file's `ast`, as for whole modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import cast

import libcst as cst

from migrator.analysis.names import Resolved, Scope
from migrator.analysis.tree_walk import first_line
from migrator.engine.context import FileContext
from migrator.engine.cst_print import code_for
from migrator.engine.cst_scopes import CstScopes
from migrator.engine.edits import Edit, Lines
from migrator.engine.folding import Folded
from migrator.engine.linemap import LineMap

Function = ast.FunctionDef | ast.AsyncFunctionDef


class FunctionContext(FileContext):
    """The context of the file `whole` as seen from `node`, one of the functions of its tree.

    Changes, findings and required imports are those of the file. `function` is the function in
    LibCST, `source` its text; `edit` puts a new one in its place. `lines` are those of the
    file's current text. Raises libcst.ParserSyntaxError where LibCST cannot read
    what CPython can.
    """

    def __init__(self, whole: FileContext, node: Function, lines: Lines) -> None:
        super().__init__(
            whole.path,
            whole.original,
            whole.index,
            whole.options,
            whole.module_name,
            whole.is_package,
            whole.suppressions,
            whole.changes,
            whole.findings,
            whole.text,
            whole.tree,
            whole.names,
            _imports=whole._imports,
        )
        self.whole = whole
        self.node = node
        self._resolved: dict[int, tuple[cst.CSTNode, Resolved | None]] = {}
        self._parse(lines)

    def _parse(self, lines: Lines) -> None:
        text, node = lines.text, self.node
        first = first_line(node)
        self._start = lines.starts[first - 1]
        self._end = _end(lines, node)
        code = self.source = text[self._start : self._end]
        newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
        frame = f"if 1:{newline}{_indent(lines, self.whole.tree)}pass{newline}"
        if code[0] in " \t":
            frame += f"if 1:{newline}"
        self._folded = Folded(code)
        self._module = cst.parse_module(frame + self._folded.text)
        self._frame = len(frame)
        last = self._module.body[1]
        if isinstance(last, cst.If):
            self.function = cast(cst.FunctionDef, last.body.body[0])
        else:
            self.function = cast(cst.FunctionDef, last)

    def edit(self, function: cst.FunctionDef) -> Edit:
        """What puts `function` in the place of the one that is there."""
        assert self._module is not None
        first, last = self._module.body
        new: cst.BaseCompoundStatement
        if isinstance(last, cst.If):
            new = last.with_changes(body=last.body.with_changes(body=[function]))
        else:
            new = function
        module = self._module.with_changes(body=[first, new])
        code = code_for(module, module)
        return Edit(self._start, self._end, (self._folded.unfold(code[self._frame :]),))

    # -- what differs from a whole file

    @property
    def scopes(self) -> CstScopes:
        """Scopes of the function's own tree by node identity."""
        if self._scopes is None:
            self._scopes = CstScopes(self.function, self.names, self.node)
        return self._scopes

    def lookup(
        self, node: cst.BaseExpression | str, scope: Scope | None = None
    ) -> Resolved | None:
        """As for a whole file; what a node stands for is found once."""
        if isinstance(node, str) or scope is not None:
            return super().lookup(node, scope)
        found = self._resolved.get(id(node))
        if found is None:  # the node is kept, so that its id stays its own
            found = self._resolved[id(node)] = node, super().lookup(node)
        return found[1]

    def _lines_of(self, text: str) -> LineMap:
        return self.whole._lines_of(text)

    def _know_positions(self) -> None:
        if self._spans:
            return
        spans = self.scopes.lines()
        if self.text != self.original:
            lines = self._lines_of(self.text)
            spans = {
                key: (lines.original(first), lines.original(last), column)
                for key, (first, last, column) in spans.items()
            }
        self._spans = spans


def _end(lines: Lines, node: Function) -> int:
    """The end of the function's last line, comments that are indented like its body included."""
    count = len(lines.starts)
    last = node.end_lineno or node.lineno
    for number in range(last, count):
        line = lines.text[lines.starts[number] : _after(lines, number)]
        bare = line.strip()
        if bare and not bare.startswith("#"):
            break
        if bare and len(line) - len(line.lstrip()) > node.col_offset:
            last = number + 1
    return _after(lines, last - 1)


def _after(lines: Lines, number: int) -> int:
    """Where the line with the 0-based `number` ends, its newline included."""
    return lines.starts[number + 1] if number + 1 < len(lines.starts) else len(lines.text)


def _indent(lines: Lines, tree: ast.Module) -> str:
    """The first indentation of a file, which is LibCST's for what is new."""
    for block in _blocks(tree):
        first = first_line(block[0])
        start = lines.starts[first - 1]
        space = lines.text[start : start + block[0].col_offset]
        if space and not space.strip():
            return space
    return "    "


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """The blocks of the module's own compound statements, in source order."""
    for statement in tree.body:
        for name in ("body", "handlers", "orelse", "finalbody", "cases"):
            block = getattr(statement, name, None)
            if not isinstance(block, list):
                continue
            if name in ("handlers", "cases"):
                yield from (item.body for item in block)
            elif block:
                yield block


__all__ = ["Function", "FunctionContext"]
