"""The `rewrite` side of a rule: an expression, compiled to the parts that a use of it fills in."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping

from migrator.analysis.names import dotted_parts
from migrator.engine.callsite import CallSite
from migrator.engine.edits import Lines, Piece
from migrator.engine.pattern import ROOTS, Match
from migrator.engine.precedence import hole_context, precedence
from migrator.engine.rendering import (
    Arg,
    Call,
    Complement,
    Either,
    Hole,
    Part,
    Ref,
    RefPrinter,
    Rendering,
    Rest,
)


class Template:
    """A compiled `rewrite`. `holes` are the names it needs, `level` its precedence."""

    def __init__(self, source: str, holes: frozenset[str]) -> None:
        self.source = source.strip()
        self._holes = holes
        self._lines = Lines(self.source)
        body = ast.parse(self.source, mode="eval").body
        self.level = precedence(body)
        self.parts = self._parts(body, None)
        self.refs = frozenset(_refs(self.parts))
        self.is_call = len(self.parts) == 1 and isinstance(self.parts[0], Call)

    # -- compiling

    def _parts(self, node: ast.expr, parent: ast.AST | None) -> list[Part]:
        if isinstance(node, ast.Name) and node.id in self._holes:
            return [Hole(node.id, hole_context(node, parent))]
        if (
            isinstance(node, ast.Starred)
            and isinstance(node.value, ast.Name)
            and node.value.id in self._holes
        ):
            return [Rest(node.value.id)]
        dotted = dotted_parts(node)
        if dotted is not None and dotted[0] not in self._holes and _is_module_root(dotted):
            return [Ref(ROOTS.get(dotted[0], dotted[0]) + "".join(f".{p}" for p in dotted[1:]))]
        if isinstance(node, ast.Call):
            return [self._call(node)]
        start, end = self._lines.span(node)
        parts: list[Part] = []
        position = start
        for child in _ordered_children(node):
            low, high = self._lines.span(child)
            inner = self._parts(child, node)
            if low > position:
                parts.append(self.source[position:low])
            parts.extend(inner)
            position = high
        if end > position:
            parts.append(self.source[position:end])
        return _merge(parts)

    def _call(self, node: ast.Call) -> Call:
        args: list[Arg] = []
        for arg in node.args:
            stars = int(isinstance(arg, ast.Starred))
            value = arg.value if isinstance(arg, ast.Starred) else arg
            args.append(self._arg(None, stars, value))
        for keyword in node.keywords:
            args.append(self._arg(keyword.arg, 0 if keyword.arg else 2, keyword.value))
        return Call(self._parts(node.func, node), args)

    def _arg(self, keyword: str | None, stars: int, value: ast.expr) -> Arg:
        parts = self._parts(value, None)
        if parts[:-1] == ["1 - "] and isinstance(parts[-1], Hole):
            parts = [Complement(parts[-1])]
        elif len(parts) == 3 and parts[1] == " or " and (
                isinstance(parts[0], Hole) and isinstance(parts[2], Hole)):  # fmt: skip
            parts = [Either(parts[0], parts[2])]
        names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} & self._holes
        return Arg(keyword, stars, parts, frozenset(names))

    # -- rendering

    def render(
        self, text: str, site: CallSite | None, match: Match, ref: RefPrinter
    ) -> list[Piece]:
        """The pieces that replace the call at `site`.

        Raises RenderError when a needed argument is neither given nor has a default.
        """
        return Rendering(text, site, match, ref).run(self.parts)

    def taken_by(self, hole: str) -> list[tuple[str, str | int] | None]:
        """(function, keyword or place) of every argument that is the hole's as it is; None where the
        rewrite computes with it."""
        found: list[tuple[str, str | int] | None] = []
        self._taken(self.parts, hole, found)
        return found

    def _taken(self, parts: list[Part], hole: str, found: list[tuple[str, str | int] | None]) -> None:
        for part in parts:
            inner = part.hole if isinstance(part, Complement) else part
            if isinstance(inner, Hole) and inner.name == hole:
                found.append(None)
            elif isinstance(part, Call):
                self._taken(part.func, hole, found)
                func = part.func[0] if len(part.func) == 1 else None
                for place, arg in enumerate(part.args):
                    if isinstance(func, Ref) and arg.hole is not None and arg.hole.name == hole:
                        found.append((func.name, arg.keyword or place))
                    else:
                        self._taken(arg.parts, hole, found)

    def as_lambda(
        self, parameters: list[tuple[str, str | None]], holes: Mapping[str, str], ref: RefPrinter
    ) -> str:
        """``lambda x, name=None: ...`` for where the old function was passed on as a value.

        `parameters`: (name, default) in the order of TF 1; `holes`: name -> the hole it fills.
        """
        match = Match(defaults={holes[name]: name for name, _ in parameters})
        pieces = Rendering("", None, match, ref, lambdas=True).run(self.parts)
        own = ", ".join(n if d is None else f"{n}={d}" for n, d in parameters)
        return f"lambda {own}: {''.join(p for p in pieces if isinstance(p, str))}"


_MODULES = sys.stdlib_module_names | set(ROOTS) | {
    "tensorflow", "tf1_support", "absl", "numpy", "scipy", "PIL", "google", "keras", "tf_keras",
    "yaml", "h5py", "matplotlib", "cv2", "sklearn", "skimage", "joblib", "packaging", "imageio",
}  # fmt: skip


def _is_module_root(dotted: list[str]) -> bool:
    """Whether a name of a template is a module's rather than a local of the template's own."""
    return dotted[0] in _MODULES and (len(dotted) > 1 or dotted[0] in ("tensorflow", *ROOTS))


def _ordered_children(node: ast.AST) -> list[ast.expr]:
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            found.append(child)
        elif not isinstance(child, (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop)):
            found.extend(_ordered_children(child))
    found.sort(key=lambda item: (item.lineno, item.col_offset))
    return found


def _merge(parts: list[Part]) -> list[Part]:
    merged: list[Part] = []
    for part in parts:
        if merged and isinstance(part, str) and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return merged


def _refs(parts: list[Part]) -> set[str]:
    found: set[str] = set()
    for part in parts:
        if isinstance(part, Ref):
            found.add(part.name)
        elif isinstance(part, Call):
            found |= _refs(part.func)
            for arg in part.args:
                found |= _refs(arg.parts)
    return found
