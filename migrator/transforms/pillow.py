"""PY231: sizes of texts, which Pillow 10 gives as boxes only, and the default font, another one since 10.1.

`ImageFont.getsize` and `ImageDraw.textsize` are methods of objects; which objects those are is
read from what the same file assigns to their names and gives to its functions.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import last_name, walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY231"
_FONTS = frozenset(
    "PIL.ImageFont." + name
    for name in ("truetype", "load_default", "load_default_imagefont", "load", "load_path", "FreeTypeFont",
                 "ImageFont")
)
_DRAWINGS = frozenset({"PIL.ImageDraw.Draw", "PIL.ImageDraw.ImageDraw"})
_METHODS = {"getsize": _FONTS, "textsize": _DRAWINGS, "text": _DRAWINGS, "multiline_text": _DRAWINGS}
_PLACES = {"getsize": 1, "textsize": 2, "text": 4, "multiline_text": 4}  # of arguments, the last a font
_DEFAULT = "PIL.ImageFont.load_default"


def _makers(ctx: FileContext) -> dict[str, set[str]]:
    """Name or attribute as written -> what Pillow functions its values come from: those assigned to
    it, a parameter's default, and what calls in this file give a parameter."""
    found: dict[str, set[str]] = {}
    calls: list[ast.Call] = []
    functions: dict[str, list[ast.FunctionDef]] = {}

    def note(target: ast.expr | str, value: ast.expr) -> bool:
        maker = ""
        if isinstance(value, ast.Call):
            maker = ctx.names.resolve_node(value.func, values=False) or ""
        makers = {maker} & (_FONTS | _DRAWINGS) or found.get(ast.unparse(value), set())
        own = found.setdefault(target if isinstance(target, str) else ast.unparse(target), set())
        new = makers - own
        own |= new
        return bool(new)

    for node in walk(ctx.tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, (ast.Name, ast.Attribute)):
                    note(target, node.value)
        elif isinstance(node, ast.Call):
            calls.append(node)
        elif isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, []).append(node)
            known = [*node.args.posonlyargs, *node.args.args]
            for given, default in zip(reversed(known), reversed(node.args.defaults), strict=False):
                note(given.arg, default)
    handed = True
    while handed:  # from a function to the functions that it calls
        handed = False
        for call in calls:
            for function in functions.get(last_name(call.func), ()):
                known = [*function.args.posonlyargs, *function.args.args]
                if isinstance(call.func, ast.Attribute) and known and known[0].arg in ("self", "cls"):
                    known = known[1:]
                pairs = [(p.arg, v) for p, v in zip(known, call.args, strict=False)]
                pairs += [(k.arg, k.value) for k in call.keywords if k.arg]
                for parameter, value in pairs:
                    handed |= note(parameter, value)
    return found


@transform
class Pillow:
    """PY231: `font.getsize(text)` and `draw.textsize(text)` by way of their boxes; `load_default()` and
    `draw.text(xy, text)` with the font that they had."""

    name = "pillow"
    triggers = _FONTS | _DRAWINGS
    order = 75

    def run(self, ctx: FileContext) -> str | None:
        if "load_default(" not in ctx.text and not any(f".{method}(" in ctx.text for method in _METHODS):
            return None
        makers = _makers(ctx)
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for node in ast.walk(ctx.tree):
            if not isinstance(node, ast.Call) or ctx.suppressed(CODE, node):
                continue
            end = lines.offset(node.func.end_lineno or 0, node.func.end_col_offset or 0)
            if not node.args and not node.keywords and ctx.names.resolve_node(node.func) == _DEFAULT:
                edits.append(Edit(end, end, ("_imagefont",)))
                ctx.change(CODE, node, "Pillow 10.1 has another default font; this is the one that was")
                continue
            if not isinstance(node.func, ast.Attribute) or not ctx.options.sure(Confidence.LIKELY):
                continue
            method, args = node.func.attr, node.args
            wanted = _METHODS.get(method)
            if wanted is None or not makers.get(ast.unparse(node.func.value), set()) & wanted:
                continue
            places = _PLACES[method]
            if not 1 <= len(args) <= places or any(isinstance(arg, ast.Starred) for arg in args):
                continue  # later places mean other things now
            fontless = wanted is _DRAWINGS and len(args) < places and not any(
                keyword.arg in ("font", None) for keyword in node.keywords)
            if method in ("text", "multiline_text") and not fontless:
                continue
            first = lines.offset(args[0].lineno, args[0].col_offset)
            last = lines.offset(node.end_lineno or 0, node.end_col_offset or 0)
            reason = f"{method} was removed from Pillow 10; the box ends at the size"
            if fontless:
                font = ctx.require_import("PIL", "ImageFont")
                separator = " " if ctx.text[: last - 1].rstrip().endswith(",") else ", "
                edits.append(Edit(last - 1, last - 1, (f"{separator}font={font}.load_default_imagefont()",)))
            if method in ("text", "multiline_text"):
                reason = "Pillow 10.1 draws with another default font; this is the one that was"
            else:
                box = "getbbox" if method == "getsize" else "textbbox"
                edits.append(Edit(end - len(method), end, (box,)))
                if method == "textsize":
                    edits.append(Edit(first, first, ("(0, 0), ",)))
                edits.append(Edit(last, last, ("[2:]",)))
            ctx.change(CODE, node, reason, confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None
