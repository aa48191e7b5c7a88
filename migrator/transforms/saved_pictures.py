"""`imageio.imwrite("a.png", numbers)`: until imageio 2.28 it, and scikit-image by it, made bytes of what they
were given; now they take bytes only."""

from __future__ import annotations

import ast

from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.analysis.values import argument
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

CODE = "PY244"
_ONE = {"skimage.io.imsave": ("fname", "arr")}
_MANY: dict[str, tuple[str, str]] = {}
for module in ("imageio", "imageio.v2"):
    _ONE.update(dict.fromkeys((f"{module}.imwrite", f"{module}.imsave"), ("uri", "im")))
    _MANY.update(dict.fromkeys((f"{module}.mimwrite", f"{module}.mimsave"), ("uri", "ims")))
_BYTES = (".png", ".jpg", ".jpeg", ".bmp", ".gif")
_OTHERS = (".tif", ".tiff", ".npy", ".exr", ".hdr")
_MAKE_BYTES = frozenset({"uint8", "img_as_ubyte", "imread", "frombuffer", "as_bytes", "each_as_bytes"})


@transform
class SavedPictures:
    """PY244: what is written is made bytes of."""

    name = "saved_pictures"
    triggers = frozenset({"imageio.*", "skimage.io.*"})
    order = 88

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), []
        for call in calls_in(ctx.tree):
            name = ctx.names.resolve_node(call.func, values=False) or ""
            words = _ONE.get(name) or _MANY.get(name)
            if words is None or ctx.suppressed(CODE, call):
                continue
            path, image = (argument(call, place, word) for place, word in enumerate(words))
            if path is None or image is None or _of_bytes(image, ctx.tree):
                continue
            known = _ending(path)
            if known is False:
                continue
            if known is None and name in _ONE and not isinstance(path, (ast.Name, ast.Attribute)):
                ctx.finding(CODE, call, "imageio makes no bytes of other numbers any more",
                            "Write uint8 pictures: of numbers from 0 to 1, (image * 255).astype('uint8').")
                continue
            start, end = lines.span(image)
            new = ctx.support("pictures.as_bytes" if name in _ONE else "pictures.each_as_bytes")
            where = f", {ast.unparse(path)})" if known is None and name in _ONE else ")"
            edits.append(Edit(start, end, (f"{new}(", (start, end), where)))
            ctx.change(CODE, call, "imageio makes no bytes of other numbers any more", Rung.SUPPORT)
        return apply(ctx.text, edits)[0] if edits else None


def _ending(path: ast.expr) -> bool | None:
    """Whether what is written to a path are bytes; None where the text does not tell."""
    texts = [node.value.lower() for node in walk(path) if isinstance(node, ast.Constant)
             and isinstance(node.value, str)]  # fmt: skip
    for ending, bytes_ in ((_BYTES, True), (_OTHERS, False)):
        if any(text.endswith(ending) for text in texts):
            return bytes_
    return None


def _of_bytes(image: ast.expr, tree: ast.Module) -> bool:
    """Whether an array has bytes: by the call that makes it, or all that are given its name."""
    if isinstance(image, ast.Call):
        if last_name(image.func) == "astype":
            return any("uint8" in ast.unparse(value) for value in (*image.args, *image.keywords))
        return last_name(image.func) in _MAKE_BYTES
    if isinstance(image, ast.Name):
        made = [node.value for node in walk(tree) if isinstance(node, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == image.id for target in node.targets)]
        return bool(made) and all(isinstance(one, ast.Call) and _of_bytes(one, tree) for one in made)
    return False


__all__ = ["SavedPictures"]
