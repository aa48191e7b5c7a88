"""One walk over an `ast` that finds scopes, bindings and attribute chains, in source order.

Source order matters: the engine pairs these scopes with those of a LibCST tree by counting.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrator.analysis.scopes import Binding, Reference, Scope, value_kind

_SKIPPED = {"ctx", "op", "ops", "type_comment", "type_ignores", "kind", "simple", "conversion"}
_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(cls: type) -> tuple[str, ...]:
    names = tuple(f for f in cls._fields if f not in _SKIPPED)  # type: ignore[attr-defined]
    _FIELDS[cls] = names
    return names


class Binder:
    """Collects `scopes` and `references` of one module."""

    def __init__(self, module: str, is_package: bool) -> None:
        self.scopes: list[Scope] = []
        self.references: list[Reference] = []
        self._package = module if is_package else module.rpartition(".")[0]
        self._has_module = bool(module)
        self.relative = False
        self._parent: ast.AST | None = None
        self._fstrings = 0
        self._dispatch: dict[type, Callable[[ast.AST], None]] = {
            getattr(ast, name[len("visit_") :]): getattr(self, name)
            for name in dir(self)
            if name.startswith("visit_") and hasattr(ast, name[len("visit_") :])
        }

    def run(self, tree: ast.Module) -> None:
        self._scope = self._new_scope("module", tree, None)
        for statement in tree.body:
            self.visit(statement)
        self._dispatch = {}  # bound methods: the binder would hold itself
        self._parent = None

    def _new_scope(self, kind: str, node: ast.AST, parent: Scope | None) -> Scope:
        scope = Scope(kind, node, parent, len(self.scopes))
        self.scopes.append(scope)
        return scope

    # -- walking

    def visit(self, node: ast.AST) -> None:
        cls = node.__class__
        method = self._dispatch.get(cls)
        if method is not None:
            method(node)
            return
        self.generic(node)

    def generic(self, node: ast.AST) -> None:
        cls = node.__class__
        outer, self._parent = self._parent, node
        dispatch = self._dispatch
        for name in _FIELDS.get(cls) or _fields(cls):
            value = getattr(node, name, None)
            if value is None:
                continue
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, ast.AST):
                        method = dispatch.get(item.__class__)
                        if method is not None:
                            method(item)
                        else:
                            self.generic(item)
            elif isinstance(value, ast.AST):
                method = dispatch.get(value.__class__)
                if method is not None:
                    method(value)
                else:
                    self.generic(value)
        self._parent = outer

    def _all(self, nodes: list[ast.expr] | list[ast.stmt], parent: ast.AST) -> None:
        outer, self._parent = self._parent, parent
        for node in nodes:
            if node is not None:
                self.visit(node)
        self._parent = outer

    def _one(self, node: ast.AST | None, parent: ast.AST) -> None:
        if node is not None:
            outer, self._parent = self._parent, parent
            self.visit(node)
            self._parent = outer

    def visit_Constant(self, node: ast.Constant) -> None:
        pass

    # -- reading names

    def visit_Name(self, node: ast.Name) -> None:
        if node.ctx.__class__ is ast.Load:
            self._refer(node, node, (), None, "load")
        elif node.ctx.__class__ is ast.Store:
            self._bind("opaque", node.id, node)
        else:
            self._refer(node, node, (), None, "del")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._chain(node, None)

    def _chain(self, node: ast.Attribute, call: ast.Call | None) -> None:
        attrs = [node.attr]
        value = node.value
        while value.__class__ is ast.Attribute:
            attrs.append(value.attr)  # type: ignore[attr-defined]
            value = value.value  # type: ignore[attr-defined]
        if value.__class__ is ast.Name:
            attrs.reverse()
            kind = node.ctx.__class__
            role = "load" if kind is ast.Load else "store" if kind is ast.Store else "del"
            self._refer(node, value, tuple(attrs), call, role)  # type: ignore[arg-type]
        else:
            self._one(value, node)

    def visit_Call(self, node: ast.Call) -> None:
        func = node.func
        outer, self._parent = self._parent, node
        if func.__class__ is ast.Attribute:
            self._chain(func, node)  # type: ignore[arg-type]
        elif func.__class__ is ast.Name:
            self._refer(func, func, (), node, "load")  # type: ignore[arg-type]
        else:
            self.visit(func)
        args = node.args
        if node.keywords:
            keywords = node.keywords
            if args and (args[-1].lineno, args[-1].col_offset) > (
                keywords[0].value.lineno,
                keywords[0].value.col_offset,
            ):
                mixed: list[tuple[int, int, ast.expr]] = [
                    (a.lineno, a.col_offset, a) for a in args
                ] + [(k.value.lineno, k.value.col_offset, k.value) for k in keywords]
                mixed.sort(key=lambda item: item[:2])
                for _, _, item in mixed:
                    self.visit(item)
            else:
                for arg in args:
                    self.visit(arg)
                for keyword in keywords:
                    self._parent = keyword
                    self.visit(keyword.value)
                    self._parent = node
        else:
            for arg in args:
                self.visit(arg)
        self._parent = outer

    def _refer(
        self,
        node: ast.expr,
        name: ast.Name,
        attrs: tuple[str, ...],
        call: ast.Call | None,
        role: str,
    ) -> None:
        self.references.append(
            Reference(
                node, name, attrs, self._scope, call, role, self._parent, self._fstrings > 0
            )
        )

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self._fstrings += 1
        self.generic(node)
        self._fstrings -= 1

    def visit_Dict(self, node: ast.Dict) -> None:
        outer, self._parent = self._parent, node
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.visit(key)
            self.visit(value)
        self._parent = outer

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._all([node.body, node.test, node.orelse], node)

    # -- binding names

    def _bind(
        self,
        kind: str,
        name: str,
        node: ast.AST,
        target: str = "",
        value: ast.expr | None = None,
        alias_index: int = 0,
        scope: Scope | None = None,
    ) -> None:
        scope = scope or self._scope
        if name in scope.globals:
            scope = self.scopes[0]
        elif name in scope.nonlocals:
            parent = scope.parent
            while parent is not None and parent.kind != "module":
                if parent.kind != "class" and name in parent.bindings:
                    scope = parent
                    break
                parent = parent.parent
        binding = Binding(kind, name, scope, node, target, value, alias_index)
        scope.bindings.setdefault(name, []).append(binding)

    def visit_Import(self, node: ast.Import) -> None:
        for index, alias in enumerate(node.names):
            if alias.asname:
                self._bind("import", alias.asname, node, alias.name, alias_index=index)
            else:
                top = alias.name.split(".", 1)[0]
                self._bind("import", top, node, top, alias_index=index)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = node.module or ""
        if node.level:
            base = self._absolute(base, node.level)
        for index, alias in enumerate(node.names):
            if alias.name == "*":
                star = Binding("star", "*", self._scope, node, base)
                self.scopes[0].stars.append(star)
                continue
            path = f"{base}{alias.name}" if base.endswith(".") else f"{base}.{alias.name}"
            self._bind("import", alias.asname or alias.name, node, path, alias_index=index)

    def _absolute(self, base: str, level: int) -> str:
        self.relative = True
        if not self._has_module:
            return "." * level + base
        parts = self._package.split(".") if self._package else []
        if level - 1 > len(parts):
            return "." * level + base
        kept = parts[: len(parts) - (level - 1)]
        return ".".join(kept + ([base] if base else [])) or "." * level + base

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if target.__class__ is ast.Name:
                kind, value = value_kind(node.value)
                self._bind(kind, target.id, node, value=value)  # type: ignore[attr-defined]
            else:
                self._one(target, node)
        self._one(node.value, node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if isinstance(node.target, ast.Name):
            if node.value is not None:
                kind, value = value_kind(node.value)
                self._bind(kind, node.target.id, node, value=value)
        else:
            self._one(node.target, node)
        self._one(node.annotation, node)
        self._one(node.value, node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        scope = self._scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        kind, value = value_kind(node.value)
        self._bind(kind, node.target.id, node, value=value, scope=scope)
        self._one(node.value, node)

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self._one(item.context_expr, item)
            if isinstance(item.optional_vars, ast.Name):
                kind, value = value_kind(item.context_expr)
                if kind != "value":
                    kind, value = "opaque", None
                self._bind(kind, item.optional_vars.id, node, value=value)
            elif item.optional_vars is not None:
                self._one(item.optional_vars, item)
        self._all(node.body, node)

    visit_AsyncWith = visit_With

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._one(node.type, node)
        if node.name:
            self._bind("opaque", node.name, node)
        self._all(node.body, node)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.nonlocals.update(node.names)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._bind("opaque", node.name, node)
        self._one(node.pattern, node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind("opaque", node.name, node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind("opaque", node.rest, node)
        self.generic(node)

    # -- scopes

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._all(node.decorator_list, node)
        self._bind("opaque", node.name, node)
        scope = self._new_scope("function", node, self._scope)
        self._parameters(node.args, scope)
        self._one(node.returns, node)
        outer, self._scope = self._scope, scope
        self._all(node.body, node)
        self._scope = outer

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        scope = self._new_scope("lambda", node, self._scope)
        self._parameters(node.args, scope)
        outer, self._scope = self._scope, scope
        self._one(node.body, node)
        self._scope = outer

    def _parameters(self, args: ast.arguments, scope: Scope) -> None:
        positional = args.posonlyargs + args.args
        padding: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
        pairs = list(zip(positional, padding + list(args.defaults), strict=True))
        if args.vararg:
            pairs.append((args.vararg, None))
        pairs += list(zip(args.kwonlyargs, args.kw_defaults, strict=True))
        if args.kwarg:
            pairs.append((args.kwarg, None))
        for arg, default in pairs:
            self._one(arg.annotation, arg)
            self._one(default, args)
            scope.bindings.setdefault(arg.arg, []).append(Binding("opaque", arg.arg, scope, arg))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._all(node.decorator_list, node)
        self._bind("opaque", node.name, node)
        scope = self._new_scope("class", node, self._scope)
        self._all(node.bases, node)
        for keyword in node.keywords:
            self._one(keyword.value, keyword)
        outer, self._scope = self._scope, scope
        self._all(node.body, node)
        self._scope = outer

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        self._comprehension(node, [node.elt], node.generators)

    visit_SetComp = visit_ListComp
    visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node, [node.key, node.value], node.generators)

    def _comprehension(
        self, node: ast.AST, elements: list[ast.expr], generators: list[ast.comprehension]
    ) -> None:
        outer = self._scope
        scope = self._new_scope("comprehension", node, outer)
        self._scope = scope
        self._all(elements, node)
        for position, generator in enumerate(generators):
            self._one(generator.target, generator)
            self._scope = outer if position == 0 else scope
            self._one(generator.iter, generator)
            self._scope = scope
            self._all(generator.ifs, generator)
        self._scope = outer
