"""Scopes and original lines of LibCST nodes, paired by counting with those of the `ast`.

LibCST's own metadata providers cost several times its parse. Both trees list scopes and names
in source order, so the n-th scope (name) of one is the n-th of the other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import libcst as cst

from migrator.analysis.names import NameTable
from migrator.analysis.scopes import Scope
from migrator.analysis.tree_walk import children
from migrator.engine.cst_walk import TEXT, code_children, code_fields

_CONSTANTS = frozenset({"True", "False", "None"})  # names in LibCST, constants in ast
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_EMPTY = frozenset(
    [
        *("AsName", "NameItem", "ImportAlias", "Comma", "Colon", "Dot", "Semicolon", "Newline"),
        *("SimpleWhitespace", "ParenthesizedWhitespace", "TrailingWhitespace", "EmptyLine"),
        *("Comment", "AssignEqual", "Integer", "Float", "Imaginary", "SimpleString"),
        *("FormattedStringText", "Pass", "Break", "Continue", "Global", "Nonlocal", "Import"),
        *("ImportFrom", "ImportStar", "Asynchronous", "ParamStar", "ParamSlash", "Ellipsis"),
    ]
)


def cst_dotted(node: cst.CSTNode) -> tuple[str, cst.Name] | None:
    """(``"tf.Graph().as_default"``, the innermost name) of a chain of attributes and calls."""
    suffix: list[str] = []
    while True:
        if isinstance(node, cst.Attribute):
            suffix.append("." + node.attr.value)
            node = node.value
        elif isinstance(node, cst.Call):
            suffix.append("()")
            node = node.func
        else:
            break
    if not isinstance(node, cst.Name):
        return None
    return node.value + "".join(reversed(suffix)), node


class CstScopes:
    """`scope_of(name)` for the names of one LibCST tree; `names` is the table of the file's `ast`.

    The tree is a whole module, or one function of it, `tree` then being the same function in the
    `ast`. Raises RuntimeError when the two do not pair (a bug, reported as TF000 by the engine).
    """

    def __init__(
        self,
        root: cst.Module | cst.FunctionDef,
        names: NameTable,
        tree: ast.FunctionDef | ast.AsyncFunctionDef | None = None,
    ) -> None:
        self.names = names
        self.root = root
        self._tree: ast.AST = tree or names.tree
        self._of: dict[int, Scope] = {}
        self._ordered: list[cst.Name] = []
        self._statements: list[cst.CSTNode] = []
        self._fstring = 0
        if tree is None:
            assert isinstance(root, cst.Module)
            self._scope, self._count = names.scopes[0], 1
            for statement in root.body:
                self._visit(statement)
            if self._count != len(names.scopes):
                raise RuntimeError(
                    f"scopes do not pair: {self._count} in LibCST, {len(names.scopes)} in ast"
                )
            return
        own = names.made_by(tree)
        if own is None or own.parent is None:
            raise RuntimeError(f"no scope was made by {tree.name}")
        self._scope = own.parent
        self._count = own.index - sum(
            isinstance(node, _SCOPES) for item in tree.decorator_list for node in ast.walk(item)
        )
        self._visit(root)

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """The scope that evaluates `node` (a name, or the first known name inside it)."""
        found = self._of.get(id(node))
        if found is not None:
            return found
        stack = [node]
        while stack:
            current = stack.pop()
            found = self._of.get(id(current))
            if found is not None:
                return found
            stack.extend(reversed(code_children(current)))
        return self.names.scopes[0]

    def lines(self) -> dict[int, tuple[int, int, int]]:
        """id(node) -> (line, last line, column) of statements and names, from the `ast`."""
        spans: dict[int, tuple[int, int, int]] = {}
        statements: list[ast.stmt] = []
        loose: list[ast.Name] = []
        stack: list[tuple[ast.AST, bool]] = [(self._tree, False)]
        while stack:
            node, inside = stack.pop()
            if isinstance(node, ast.stmt):
                statements.append(node)
            elif isinstance(node, ast.Name) and not inside:
                loose.append(node)
            inside = inside or isinstance(node, ast.JoinedStr)
            stack.extend((child, inside) for child in children(node))
        statements.sort(key=lambda item: (item.lineno, item.col_offset))
        if len(statements) == len(self._statements):
            for cst_node, stmt in zip(self._statements, statements, strict=True):
                spans[id(cst_node)] = (
                    stmt.lineno,
                    stmt.end_lineno or stmt.lineno,
                    stmt.col_offset,
                )
        loose.sort(key=lambda item: (item.lineno, item.col_offset))
        if len(loose) == len(self._ordered):
            for name_node, name in zip(self._ordered, loose, strict=True):
                spans[id(name_node)] = (name.lineno, name.lineno, name.col_offset)
        for line in self.root.body if isinstance(self.root, cst.Module) else (self.root,):
            _add_wrappers(line, spans)
        return spans

    # -- the walk

    def _visit(self, node: Any) -> None:
        cls = node.__class__
        if cls is cst.Name:
            if node.value in _CONSTANTS:
                return
            self._of[id(node)] = self._scope
            if not self._fstring:
                self._ordered.append(node)
            return
        handler, fields, statement = _WAYS.get(cls) or _way(cls)
        if handler is not None:
            handler(self, node)
            return
        if statement:
            self._statements.append(node)
        for field in fields:
            value = getattr(node, field)
            kind = value.__class__
            if kind is tuple or kind is list:
                for item in value:
                    self._visit(item)
            elif kind not in TEXT:
                self._visit(value)

    def _enter(self, node: cst.CSTNode) -> Scope:
        if self._count >= len(self.names.scopes):
            raise RuntimeError("scopes do not pair: LibCST has more than ast")
        scope = self.names.scopes[self._count]
        name = getattr(node, "name", None)
        if name is not None and getattr(scope.node, "name", None) != name.value:
            raise RuntimeError(f"scopes do not pair at {name.value}")
        self._count += 1
        return scope

    def _attribute(self, node: cst.Attribute) -> None:
        self._visit(node.value)

    def _arg(self, node: cst.Arg) -> None:
        self._visit(node.value)

    def _parameters(self, params: cst.Parameters) -> None:
        groups: list[cst.Param] = [*params.posonly_params, *params.params]
        if isinstance(params.star_arg, cst.Param):
            groups.append(params.star_arg)
        groups.extend(params.kwonly_params)
        if params.star_kwarg is not None:
            groups.append(params.star_kwarg)
        for param in groups:
            if param.annotation is not None:
                self._visit(param.annotation.annotation)
            if param.default is not None:
                self._visit(param.default)

    def _function(self, node: cst.FunctionDef) -> None:
        for decorator in node.decorators:
            self._visit(decorator.decorator)
        self._statements.append(node)
        scope = self._enter(node)
        self._parameters(node.params)
        if node.returns is not None:
            self._visit(node.returns.annotation)
        outer, self._scope = self._scope, scope
        self._visit(node.body)
        self._scope = outer

    def _lambda(self, node: cst.Lambda) -> None:
        scope = self._enter(node)
        self._parameters(node.params)
        outer, self._scope = self._scope, scope
        self._visit(node.body)
        self._scope = outer

    def _class(self, node: cst.ClassDef) -> None:
        for decorator in node.decorators:
            self._visit(decorator.decorator)
        self._statements.append(node)
        scope = self._enter(node)
        for arg in (*node.bases, *node.keywords):
            self._visit(arg.value)
        outer, self._scope = self._scope, scope
        self._visit(node.body)
        self._scope = outer

    def _comprehension(self, node: cst.CSTNode) -> None:
        outer = self._scope
        scope = self._scope = self._enter(node)
        if isinstance(node, cst.DictComp):
            self._visit(node.key)
            self._visit(node.value)
        else:
            self._visit(node.elt)  # type: ignore[attr-defined]
        generator: cst.CompFor | None = node.for_in  # type: ignore[attr-defined]
        first = True
        while generator is not None:
            self._visit(generator.target)
            self._scope = outer if first else scope
            self._visit(generator.iter)
            self._scope = scope
            for condition in generator.ifs:
                self._visit(condition.test)
            generator, first = generator.inner_for_in, False
        self._scope = outer

    def _formatted(self, node: cst.FormattedString) -> None:
        self._fstring += 1
        for part in node.parts:
            self._visit(part)
        self._fstring -= 1

    def _handler(self, node: cst.ExceptHandler) -> None:
        if node.type is not None:
            self._visit(node.type)
        self._visit(node.body)

    def _with_item(self, node: cst.WithItem) -> None:
        self._visit(node.item)
        if node.asname is not None:
            self._visit(node.asname.name)


_HANDLERS: dict[str, Callable[[CstScopes, Any], None]] = {
    "Attribute": CstScopes._attribute,
    "Arg": CstScopes._arg,
    "FunctionDef": CstScopes._function,
    "Lambda": CstScopes._lambda,
    "ClassDef": CstScopes._class,
    "ListComp": CstScopes._comprehension,
    "SetComp": CstScopes._comprehension,
    "GeneratorExp": CstScopes._comprehension,
    "DictComp": CstScopes._comprehension,
    "FormattedString": CstScopes._formatted,
    "ExceptHandler": CstScopes._handler,
    "ExceptStarHandler": CstScopes._handler,
    "WithItem": CstScopes._with_item,
}


_WAYS: dict[type, tuple[Callable[[CstScopes, Any], None] | None, tuple[str, ...], bool]] = {}


def _way(
    cls: type,
) -> tuple[Callable[[CstScopes, Any], None] | None, tuple[str, ...], bool]:
    """(handler, fields to walk, is it a statement?) of a LibCST class."""
    fields = () if cls.__name__ in _EMPTY else code_fields(cls)
    statement = issubclass(cls, (cst.BaseSmallStatement, cst.BaseCompoundStatement))
    way = _WAYS[cls] = _HANDLERS.get(cls.__name__), fields, statement
    return way


def _add_wrappers(node: cst.CSTNode, spans: dict[int, tuple[int, int, int]]) -> None:
    """Give statement lines and blocks the span of the statements that they wrap."""
    stack: list[cst.CSTNode] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, cst.SimpleStatementLine):
            inner = [spans[id(item)] for item in current.body if id(item) in spans]
            if inner:
                spans[id(current)] = (inner[0][0], inner[-1][1], inner[0][2])
            continue
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            value = getattr(current, field, None)
            if isinstance(value, cst.CSTNode):
                stack.append(value)
            elif isinstance(value, (tuple, list)):
                stack.extend(item for item in value if isinstance(item, cst.CSTNode))

