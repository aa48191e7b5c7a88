"""Where a program chooses between its variants for TF 1 and TF 2, and where it sets which one.

In a project that asks `tensorflow.python.tf2.enabled()`, that and `tf.executing_eagerly()` say the
same on TF 1.15 (no), and code relies on it: what one branch returns, the other's branch takes.
Entries that call `tf.enable_v2_behavior` take the variant for TF 2 there, and go on doing so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF150"
_NAMES = frozenset({"tensorflow.executing_eagerly", "tensorflow.compat.v2.executing_eagerly"})
_SET = {
    "tensorflow.enable_v2_behavior": "tf2.enable",
    "tensorflow.compat.v2.enable_v2_behavior": "tf2.enable",
    "tensorflow.disable_v2_behavior": "tf2.disable",
}


@transform
class VersionSwitch:
    """TF150: eager execution as the sign of TF 2."""

    name = "version_switch"
    triggers = _NAMES | _SET.keys()
    order = 10

    def run(self, ctx: FileContext) -> str | None:
        if not ctx.index.holds_both_versions:
            return None
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for reference in ctx.names.references:
            call = reference.call
            found = ctx.names.reference_target(reference)
            if call is None or found is None or found.name not in self.triggers:
                continue
            if call.args or call.keywords or ctx.suppressed(CODE, call):
                continue
            node = reference.node
            start, end = lines.span(node)
            setter = _SET.get(found.name)
            if setter is not None:
                edits.append(Edit(start, end, (ctx.support(setter),)))
                ctx.change(CODE, call, "the variant that this entry took on TF 1.15", Rung.SUPPORT)
                continue
            edits.append(Edit(start, end, (ctx.support("tf2.executing_eagerly"),)))
            ctx.change(
                CODE, call, "the variant that ran on TF 1.15 is kept, as for tf2.enabled()",
                Rung.SUPPORT,
            )  # fmt: skip
            ctx.finding(
                CODE, call,
                "tf.executing_eagerly() chooses between two variants of the program; the one that "
                "ran on TF 1.15 is kept, as for tf2.enabled()",
                "Set TF2_VARIANT=1 in the environment for the other variant, or take out the one "
                "that you do not want.",
                Rung.SUPPORT, "tf.executing_eagerly",
            )  # fmt: skip
        return apply(ctx.text, edits)[0] if edits else None
