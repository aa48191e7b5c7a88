"""The records of a name table: scopes, what binds a name in them, and who reads names."""

from __future__ import annotations

import ast
import weakref


class Scope:
    """One Python scope; `index` counts scopes in source order, the module's being 0.

    `kind` is ``module``, ``function``, ``class``, ``lambda`` or ``comprehension``.
    """

    __slots__ = (
        "__weakref__",
        "bindings",
        "globals",
        "index",
        "kind",
        "node",
        "nonlocals",
        "parent",
        "stars",
    )

    def __init__(self, kind: str, node: ast.AST, parent: Scope | None, index: int) -> None:
        self.kind = kind
        self.node = node
        self.parent = parent
        self.index = index
        self.bindings: dict[str, list[Binding]] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.stars: list[Binding] = []


class Binding:
    """One thing that gives a name a value.

    `kind`: ``import`` (`target` is the absolute path it binds), ``alias`` (`value` is a dotted
    name), ``value`` (`value` is a call), ``none`` (the constant None, which never decides what a
    name stands for), ``star`` (a star import), ``opaque`` (anything else).
    `alias_index` is the position in the import statement's name list. `scope` is there as long as
    the name table is: a cycle would leave whole syntax trees to the garbage collector.
    """

    __slots__ = ("_scope", "alias_index", "kind", "name", "node", "target", "value")

    def __init__(
        self,
        kind: str,
        name: str,
        scope: Scope,
        node: ast.AST,
        target: str = "",
        value: ast.expr | None = None,
        alias_index: int = 0,
    ) -> None:
        self.kind = kind
        self.name = name
        self._scope = weakref.ref(scope)
        self.node = node
        self.target = target
        self.value = value
        self.alias_index = alias_index

    @property
    def scope(self) -> Scope:
        """The scope that the name is bound in."""
        scope = self._scope()
        assert scope is not None
        return scope


class Reference:
    """One maximal attribute chain that starts at a name: ``tf.nn.relu`` in ``tf.nn.relu(x)``.

    `node` is the whole chain, `name_node` its first name, `attrs` the attributes after it.
    `call` is the call whose function it is; `role` is ``load``, ``store`` or ``del``;
    `parent` is the syntax node that holds it, and `in_fstring` says that positions inside it
    need checking before they are trusted (CPython reports some of them wrong before 3.12).
    """

    __slots__ = (
        "attrs",
        "call",
        "in_fstring",
        "name_node",
        "node",
        "parent",
        "role",
        "root",
        "scope",
    )

    def __init__(
        self,
        node: ast.expr,
        name_node: ast.Name,
        attrs: tuple[str, ...],
        scope: Scope,
        call: ast.Call | None,
        role: str,
        parent: ast.AST | None,
        in_fstring: bool,
    ) -> None:
        self.node = node
        self.name_node = name_node
        self.root = name_node.id
        self.attrs = attrs
        self.scope = scope
        self.call = call
        self.role = role
        self.parent = parent
        self.in_fstring = in_fstring


def value_kind(value: ast.expr | None) -> tuple[str, ast.expr | None]:
    """(kind, value) of the `Binding` that an assignment of `value` makes."""
    if value is None:
        return "opaque", None
    if isinstance(value, ast.Constant):
        return ("none", None) if value.value is None else ("opaque", None)
    inner: ast.expr = value
    called = False
    while isinstance(inner, (ast.Attribute, ast.Call)):
        if isinstance(inner, ast.Call):
            called = True
            inner = inner.func
        else:
            inner = inner.value
    if isinstance(inner, ast.Name):
        return ("value" if called else "alias"), value
    return "opaque", None
