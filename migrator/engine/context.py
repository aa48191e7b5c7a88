"""What a structural transform sees of one file, and how it reports what it did."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

import libcst as cst

from migrator.analysis.index import ProjectIndex
from migrator.analysis.names import NameTable, Resolved, Scope, canonical
from migrator.analysis.reexports import followed
from migrator.engine.cst_print import code_for
from migrator.engine.cst_scopes import CstScopes, cst_dotted
from migrator.engine.cst_walk import code_children
from migrator.engine.imports import add_imports, local_name_for
from migrator.engine.linemap import LineMap, line_map
from migrator.engine.options import Options
from migrator.engine.scanned import SUPPORT_PACKAGE
from migrator.engine.suppress import Suppressions
from migrator.model import Change, Confidence, Finding, Rung

Mark = tuple[str | None, cst.Module | None, int, int, dict[tuple[str, str | None], str]]


@dataclass
class FileContext:
    """One file on its way through the structural transforms.

    `path` is relative to the root, with ``/``. `original` is the file as it was read (Python 3 by
    now). `module_name` is its dotted name (``pkg.sub.mod``), `is_package` for ``__init__``.
    `text`, `tree`, `names`, `module` and `scopes` always show the file as the transforms before
    left it; each is made when it is first asked for.
    """

    path: str
    original: str
    index: ProjectIndex
    options: Options
    module_name: str = ""
    is_package: bool = False
    suppressions: Suppressions = field(default_factory=Suppressions)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    _text: str | None = None
    _tree: ast.Module | None = None
    _names: NameTable | None = None
    _module: cst.Module | None = None
    _scopes: CstScopes | None = None
    _parses: list[tuple[cst.Module, str]] = field(default_factory=list)
    _spans: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    _spans_of: int = 0
    _line_map: tuple[str, LineMap] | None = None
    _imports: dict[tuple[str, str | None], str] = field(default_factory=dict)
    nameless: bool = False  # nothing in the program sees TF 1's names of its variables (`engine.nameless`)
    plain: dict[str, str] = field(default_factory=dict)  # what TF 2 itself has here of the support package

    @classmethod
    def of(
        cls,
        path: str,
        text: str,
        index: ProjectIndex | None = None,
        options: Options | None = None,
        names: NameTable | None = None,
    ) -> FileContext:
        """A context for `text` (tests use it; the engine passes the name table it has)."""
        index = index or ProjectIndex()
        info = index.module_at(path)
        context = cls(path, text, index, options or Options())
        if info is not None:
            context.module_name, context.is_package = info.name, info.is_package
        context._text = text
        if names is not None:
            context._names, context._tree = names, names.tree
        return context

    def anew(self, text: str, path: str = "") -> FileContext:
        """A context of its own for another text of the file, or for another file of the project."""
        return FileContext.of(path or self.path, text, self.index, self.options)

    # -- the current state

    @property
    def text(self) -> str:
        """The current text. Assigning it replaces the file's contents."""
        if self._text is None:
            assert self._module is not None
            self._text = code_for(self._module, self._module)
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        if text != self.text:
            self._text = text
            self._module = self._scopes = self._tree = self._names = None

    @property
    def tree(self) -> ast.Module:
        """The `ast` of the current text."""
        if self._tree is None:
            self._tree = ast.parse(self.text)
        return self._tree

    @property
    def names(self) -> NameTable:
        """The name table of the current text."""
        if self._names is None:
            names = NameTable.of(self.tree, self.module_name, self.is_package)
            self._names = followed(names, self.index, self.path)
        return self._names

    @property
    def module(self) -> cst.Module:
        """The current LibCST tree; parsed at first use, replaced by what each transform returns.

        Raises libcst.ParserSyntaxError where LibCST cannot read what CPython can.
        """
        if self._module is None:
            self._module = cst.parse_module(self.text)
            self._parses.append((self._module, self.text))
        return self._module

    @module.setter
    def module(self, module: cst.Module) -> None:
        if module is not self._module:
            if self._module is None:
                self.module  # noqa: B018  positions of the old tree must be known
            self._module = module
            self._text = self._scopes = self._tree = self._names = None

    @property
    def scopes(self) -> CstScopes:
        """Scopes of the current tree by node identity."""
        if self._scopes is None:
            self._scopes = CstScopes(self.module, self.names)
        return self._scopes

    # -- what code means

    def lookup(self, node: cst.BaseExpression | str, scope: Scope | None = None) -> Resolved | None:
        """`resolve` with the binding it came through and whether it was written as compat.v1."""
        if isinstance(node, str):
            return self.names.lookup(node, scope, values=True)
        parts = cst_dotted(node)
        if parts is None:
            return None
        dotted, root = parts
        scopes = self.scopes
        head, _, rest = dotted.partition(".")
        bare, called, _ = head.partition("()")
        base = scopes.names.lookup(bare, scope or scopes.scope_of(root), values=True)
        if base is None:
            return None
        calls = head[len(bare) :] if called else ""
        path = base.name + calls + ("." + rest if rest else "")
        name, compat = canonical(path)
        return Resolved(name, compat or base.compat, base.binding, base.star)

    def resolve(self, node: cst.BaseExpression | str, scope: Scope | None = None) -> str | None:
        """The canonical TF1 name of an expression of the current tree, None if it has none.

        Works on names, attribute chains and calls (``tf.Graph().as_default`` ->
        ``tensorflow.Graph().as_default``), follows locals that hold a call's result
        (``sess = tf.Session()`` makes ``sess.run`` ``tensorflow.Session().run``), and is
        scope-aware: nodes that a transform made are looked up by their innermost name that is
        still an original node, at module level otherwise. A dotted string is read at module
        level, or in `scope`.
        """
        found = self.lookup(node, scope)
        return found.name if found else None

    # -- reporting

    def line(self, node: cst.CSTNode | ast.AST | int) -> int:
        """The 1-based line of `node` in the original file (of its nearest original part)."""
        return self._span(node)[0]

    def _span(self, node: cst.CSTNode | ast.AST | int) -> tuple[int, int, int]:
        """(first line, last line, column) in the original file."""
        if isinstance(node, int):
            return node, node, 0
        if isinstance(node, ast.AST):
            first = getattr(node, "lineno", 1)
            last = getattr(node, "end_lineno", first) or first
            column = getattr(node, "col_offset", 0)
            if self.text == self.original:
                return first, last, column
            lines = self._lines_of(self.text)
            return lines.original(first), lines.original(last), column
        self._know_positions()
        stack: list[cst.CSTNode] = [node]
        while stack:
            current = stack.pop(0)
            found = self._spans.get(id(current))
            if found is not None:
                return found
            stack.extend(code_children(current))
        return 1, 1, 0

    def _lines_of(self, text: str) -> LineMap:
        if self._line_map is None or self._line_map[0] != text:
            self._line_map = text, line_map(self.original, text)
        return self._line_map[1]

    def _know_positions(self) -> None:
        """Positions of the nodes of every tree that was parsed, as lines of the original."""
        while self._spans_of < len(self._parses):
            module, text = self._parses[self._spans_of]
            self._spans_of += 1
            names = self._names if text == self._text and self._names else None
            names = names or NameTable.of(ast.parse(text), self.module_name, self.is_package)
            spans = CstScopes(module, names).lines()
            if text != self.original:
                lines = self._lines_of(text)
                spans = {
                    key: (lines.original(first), lines.original(last), column)
                    for key, (first, last, column) in spans.items()
                }
            self._spans.update(spans)

    def change(
        self,
        code: str,
        node: cst.CSTNode | ast.AST | int,
        reason: str,
        rung: Rung = Rung.NATIVE,
        confidence: Confidence = Confidence.PROVEN,
        symbol: str = "",
    ) -> None:
        """Record one edit. Call it with the node as it was *before* the edit."""
        first, last, _ = self._span(node)
        self.changes.append(Change(code, first, last, reason, symbol, rung, confidence))

    def finding(
        self,
        code: str,
        node: cst.CSTNode | ast.AST | int,
        message: str,
        advice: str,
        rung: Rung = Rung.MANUAL,
        symbol: str = "",
    ) -> None:
        """Record something that a person must see, with what to do about it."""
        line, _, column = self._span(node)
        self.findings.append(
            Finding(code, self.path, line, column, message, advice, symbol, rung)
        )

    def suppressed(self, code: str, node: cst.CSTNode | ast.AST | int) -> bool:
        """Whether a ``# migrator: ignore`` comment or the options forbid `code` at `node`.

        A transform asks before it edits; findings are filtered by the engine.
        """
        if not self.options.allows(code):
            return True
        if not self.suppressions:
            return False
        first, last, _ = self._span(node)
        return self.suppressions.covers(code, first, last)

    # -- undoing one transform

    def mark(self) -> Mark:
        """The state to which `rollback` returns."""
        return self._text, self._module, len(self.changes), len(self.findings), dict(self._imports)

    def rollback(self, mark: Mark) -> None:
        """Forget what was done since `mark`."""
        text, module, changes, findings, imports = mark
        if text is not self._text or module is not self._module:
            self._text, self._module = text, module
            self._scopes = self._tree = self._names = None
        del self.changes[changes:]
        del self.findings[findings:]
        self._imports = imports

    # -- imports

    def require_import(
        self, module: str, name: str | None = None, asname: str | None = None
    ) -> str:
        """Make sure that ``import module [as asname]`` or ``from module import name [as ..]`` is
        there once all transforms have run; returns the local name to write.

        An import of the file that already binds it at module level is used; where the local
        name is taken by something else, another one is chosen.
        """
        key = (module, name)
        if key not in self._imports:
            taken = set(self._imports.values())
            self._imports[key] = local_name_for(self.names, module, name, asname, taken)
        return self._imports[key]

    def support(self, symbol: str) -> str:
        """The local dotted text for a symbol of the support package, its import being added:
        ``ctx.support("slim.conv2d")`` -> ``"slim.conv2d"`` after ``from tf1_support import slim``.
        """
        module, _, rest = symbol.partition(".")
        local = self.require_import(SUPPORT_PACKAGE, module)
        return f"{local}.{rest}" if rest else local

    def support_expr(self, symbol: str) -> cst.BaseExpression:
        """`support` as a LibCST expression."""
        return cst.parse_expression(self.support(symbol))

    @property
    def required_imports(self) -> Iterable[tuple[str, str | None, str]]:
        """(module, name, local name) of the imports that transforms asked for."""
        return [(module, name, local) for (module, name), local in self._imports.items()]

    def finished_text(self) -> str:
        """The text after all transforms, required imports added."""
        if not self._imports:
            return self.text
        return add_imports(self.text, list(self.required_imports), self._tree, self._names)
