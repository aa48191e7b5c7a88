"""What a structural transform sees of one file, and how it reports what it did."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from migrator.analysis.names import NameTable, Resolved, Scope, canonical
from migrator.engine.cst_scopes import CstScopes, cst_dotted
from migrator.engine.imports import add_imports, local_name_for
from migrator.engine.suppress import Suppressions
from migrator.model import Change, Confidence, Finding, Rung

if TYPE_CHECKING:
    from migrator.analysis.index import ProjectIndex
    from migrator.engine.options import Options

SUPPORT_PACKAGE = "tf1_support"


@dataclass
class FileContext:
    """One file on its way through the structural transforms.

    `path` is relative to the root, with ``/``. `text` is the file as it was read (Python 3 by
    now). `module_name` is its dotted name (``pkg.sub.mod``), `is_package` for ``__init__``.
    """

    path: str
    text: str
    index: ProjectIndex
    options: Options
    tree: ast.Module
    names: NameTable
    module_name: str = ""
    is_package: bool = False
    suppressions: Suppressions = field(default_factory=Suppressions)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    _module: cst.Module | None = None
    _original: cst.Module | None = None
    _lines: dict[int, tuple[int, int, int]] | None = None
    _scopes: CstScopes | None = None
    _imports: dict[tuple[str, str | None], str] = field(default_factory=dict)

    # -- the current tree

    @property
    def module(self) -> cst.Module:
        """The current tree; parsed at first use, replaced by what each transform returns.

        Raises libcst.ParserSyntaxError where LibCST cannot read what CPython can.
        """
        if self._module is None:
            self._module = self._original = cst.parse_module(self.text)
        return self._module

    @module.setter
    def module(self, module: cst.Module) -> None:
        self.module  # noqa: B018  the original must exist before it is replaced
        if module is not self._module:
            self._module = module
            self._scopes = None

    @property
    def was_parsed(self) -> bool:
        return self._module is not None

    # -- what code means

    @property
    def scopes(self) -> CstScopes:
        """Scopes of the current tree by node identity."""
        if self._scopes is None:
            module = self.module
            names = self.names if module is self._original else self._current_names(module)
            self._scopes = CstScopes(module, names)
        return self._scopes

    def _current_names(self, module: cst.Module) -> NameTable:
        tree = ast.parse(module.code)
        return NameTable.of(tree, self.module_name, self.is_package)

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
        called = head.endswith("()")
        base = scopes.names.lookup(
            head.rstrip("()") if called else head, scope or scopes.scope_of(root), values=True
        )
        if base is None:
            return None
        head_calls = head[len(head.rstrip("()")) :]
        path = base.name + head_calls + ("." + rest if rest else "")
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
            line = getattr(node, "lineno", 1)
            return line, getattr(node, "end_lineno", line) or line, getattr(node, "col_offset", 0)
        if self._lines is None:
            self.module  # noqa: B018
            assert self._original is not None
            self._lines = CstScopes(self._original, self.names).lines()
        stack: list[cst.CSTNode] = [node]
        while stack:
            current = stack.pop(0)
            found = self._lines.get(id(current))
            if found is not None:
                return found
            stack.extend(current.children)
        return 1, 1, 0

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

    def mark(self) -> tuple[cst.Module | None, int, int, dict[tuple[str, str | None], str]]:
        """The state to which `rollback` returns."""
        return self._module, len(self.changes), len(self.findings), dict(self._imports)

    def rollback(
        self, mark: tuple[cst.Module | None, int, int, dict[tuple[str, str | None], str]]
    ) -> None:
        """Forget what was done since `mark`."""
        module, changes, findings, imports = mark
        self._module = module or self._original
        self._scopes = None
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
            self._imports[key] = local_name_for(self.scopes.names, module, name, asname, taken)
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
        text = self.module.code if self.was_parsed else self.text
        if not self._imports:
            return text
        return add_imports(text, list(self.required_imports))
