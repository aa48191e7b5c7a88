"""Programs of TensorFlow 1's eager mode: their layers changed moving averages in each call, at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF122"
_ENABLES = frozenset({
    "tensorflow.enable_eager_execution", "tensorflow.contrib.eager.enable_eager_execution",
    "tensorflow.enable_v2_behavior",
})  # fmt: skip
# Layers of tf.layers and tf.contrib; those of Keras see to themselves.
_NORM = re.compile(r"(?<!keras\.)layers\.(?:BatchNorm|batch_norm)|slim\.batch_norm")


@transform
class EagerUpdates:
    """TF122: where eager execution was switched on, updates of layers are no longer kept for whom asks."""

    name = "eager_updates"
    triggers = _ENABLES
    order = 72

    def run(self, ctx: FileContext) -> str | None:
        if not any(_NORM.search(text) for text in _texts(ctx)):
            return None
        lines, edits = Lines(ctx.text), []
        for call in calls_in(ctx.tree):
            if ctx.names.resolve_node(call.func) in _ENABLES and not ctx.suppressed(CODE, call):
                edits.append(Edit(*lines.span(call), (f"{ctx.support('store.update_at_once')}()",)))
                ctx.change(CODE, call, "layers update their averages in each call, as in eager mode",
                           Rung.SUPPORT)
        return apply(ctx.text, edits)[0] if edits else None


def _texts(ctx: FileContext) -> list[str]:
    """The file, and all of the project that it imports."""
    others = sorted(ctx.index.reached(ctx.path) - {ctx.path})
    return [ctx.text, *(ctx.index.text(path) or "" for path in others)]
