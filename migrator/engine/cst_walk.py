"""Quick walks over LibCST trees: `node.children` re-visits every child to list it."""

from __future__ import annotations

import libcst as cst

_ORDER = {
    "IfExp": ("body", "test", "orelse"),
    "Assign": ("targets", "value"),
    "Try": ("body", "handlers", "orelse", "finalbody"),
    "TryStar": ("body", "handlers", "orelse", "finalbody"),
    "FunctionDef": ("decorators", "name", "params", "returns", "body"),
    "ClassDef": ("decorators", "name", "bases", "keywords", "body"),
}
_SKIPPED = {"lpar", "rpar", "comma", "semicolon", "header", "footer", "lbracket", "rbracket"}
_FIELDS: dict[type, tuple[str, ...]] = {}


def code_fields(cls: type) -> tuple[str, ...]:
    """The fields of a LibCST class that can hold code, in source order."""
    found = _FIELDS.get(cls)
    if found is None:
        order = _ORDER.get(cls.__name__)
        if order is None:
            order = tuple(
                name
                for name in cls.__dataclass_fields__  # type: ignore[attr-defined]
                if not name.startswith(("whitespace", "leading", "lines_", "trailing"))
                and name not in _SKIPPED
            )
        found = _FIELDS[cls] = order
    return found


def code_children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The children of `node` in source order, without white space, comments and punctuation."""
    children: list[cst.CSTNode] = []
    for name in code_fields(node.__class__):
        value = getattr(node, name)
        if value.__class__ in (tuple, list):
            children += [item for item in value if isinstance(item, cst.CSTNode)]
        elif isinstance(value, cst.CSTNode):
            children.append(value)
    return children
