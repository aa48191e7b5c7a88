"""What matplotlib and OpenCV 4 removed or give otherwise: canvases, styles, backgrounds, contours.

The canvas is told by its name as a figure's attribute, OpenCV 3's `findContours` by the three
names that its result is unpacked into.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

_WORDS = ("tostring_rgb", "findContours", "seaborn", "set_window_title", "axis_bgcolor", "axisbg")
#: What makes axes, and took the colour of their background as axisbg until matplotlib 2.2.
_MAKERS = frozenset({"subplot", "add_subplot", "subplot2grid", "axes", "add_axes"})
_STYLES = frozenset({"matplotlib.pyplot.style.use", "matplotlib.style.use"})

@transform
class ImageLibraries:
    """PY225, PY226: canvases, styles and backgrounds; contours."""

    name = "image_libraries"
    triggers = frozenset({"matplotlib.*", "cv2.findContours"})
    order = 7

    def run(self, ctx: FileContext) -> str | None:
        if not any(word in ctx.text for word in _WORDS):
            return None
        self.ctx, self.lines = ctx, Lines(ctx.text)
        self.edits: list[Edit] = []
        for node in ast.walk(ctx.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                self._canvas(node, node.func)
                self._title(node, node.func)
                self._background(node, node.func)
                self._style(node)
            elif isinstance(node, ast.Assign):
                self._contours(node)
        return apply(ctx.text, self.edits)[0] if self.edits else None

    def _canvas(self, call: ast.Call, method: ast.Attribute) -> None:
        """`fig.canvas.tostring_rgb()`: three of the four bytes of each pixel."""
        owner = method.value
        if method.attr != "tostring_rgb" or call.args or self.ctx.suppressed("PY225", call):
            return
        if not isinstance(owner, ast.Attribute) or owner.attr != "canvas":
            return
        numpy = self.ctx.require_import("numpy", None)
        start, end = self.lines.span(call)
        canvas = ast.get_source_segment(self.ctx.text, owner)
        text = f"{numpy}.asarray({canvas}.buffer_rgba())[..., :3].tobytes()"
        self.edits.append(Edit(start, end, (text,)))
        self.ctx.change(
            "PY225", call, "matplotlib 3.10 has buffer_rgba instead of tostring_rgb", Rung.NATIVE
        )

    def _title(self, call: ast.Call, method: ast.Attribute) -> None:
        """`fig.canvas.set_window_title(text)`: windows are their manager's."""
        owner = method.value
        if method.attr != "set_window_title" or self.ctx.suppressed("PY225", call):
            return
        if not isinstance(owner, ast.Attribute) or owner.attr != "canvas":
            return
        end = self.lines.span(owner)[1]
        self.edits.append(Edit(end, end, (".manager",)))
        self.ctx.change("PY225", call, "matplotlib 3.6 has set_window_title of the manager alone")

    def _background(self, call: ast.Call, method: ast.Attribute) -> None:
        """`axes.set_axis_bgcolor(c)`, `fig.add_subplot(111, axisbg=c)`."""
        words = [word for word in call.keywords if word.arg == "axisbg" and method.attr in _MAKERS]
        renamed = {"set_axis_bgcolor": "set_facecolor", "get_axis_bgcolor": "get_facecolor"}.get(method.attr)
        if not (words or renamed) or self.ctx.suppressed("PY225", call):
            return
        if renamed:
            end = self.lines.span(method)[1]
            self.edits.append(Edit(end - len(method.attr), end, (renamed,)))
        for word in words:
            start = self.lines.span(word)[0]
            self.edits.append(Edit(start, start + len("axisbg"), ("facecolor",)))
        self.ctx.change("PY225", call, "matplotlib 2.2 calls the background of axes their face colour")

    def _style(self, call: ast.Call) -> None:
        """`plt.style.use('seaborn-white')`: matplotlib's copies of seaborn's styles have a version."""
        if len(call.args) != 1 or self.ctx.names.resolve_node(call.func) not in _STYLES:
            return
        name = call.args[0]
        if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
            return
        if self.ctx.suppressed("PY225", call) or name.value.startswith("seaborn-v"):
            return
        if name.value != "seaborn" and not name.value.startswith("seaborn-"):
            return
        text = repr(name.value.replace("seaborn", "seaborn-v0_8", 1))
        self.edits.append(Edit(*self.lines.span(name), (text,)))
        self.ctx.change(
            "PY225", call, "matplotlib 3.8 knows seaborn's styles by their version", Rung.NATIVE
        )

    def _contours(self, node: ast.Assign) -> None:
        """`image, contours, hierarchy = cv2.findContours(...)` of OpenCV 3."""
        value, target = node.value, node.targets[0]
        if not isinstance(value, ast.Call) or not isinstance(target, ast.Tuple):
            return
        if len(node.targets) != 1 or len(target.elts) != 3 or self.ctx.suppressed("PY226", node):
            return
        first = target.elts[0]
        if self.ctx.names.resolve_node(value.func) != "cv2.findContours":
            return
        if not isinstance(first, ast.Name) or self._read(first.id):
            self.ctx.finding(
                "PY226", node, "OpenCV 4's findContours gives contours and hierarchy, no image",
                "Unpack two values; the image is the one that was given.",
            )  # fmt: skip
            return
        self.edits.append(Edit(self.lines.span(first)[0], self.lines.span(target.elts[1])[0], ("",)))
        self.ctx.change(
            "PY226", node, "OpenCV 4's findContours gives two values, without the image", Rung.NATIVE
        )

    def _read(self, name: str) -> bool:
        return any(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
            for node in ast.walk(self.ctx.tree)
        )
