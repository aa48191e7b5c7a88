"""Arguments that libraries take by name only now: `pandas.concat(frames, 1)`, `librosa.stft(y, 1024)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrator.analysis import libraries
from migrator.analysis.tree_walk import calls_in
from migrator.engine.callsite import Unreadable, read_call
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY243"


@transform
class ArgumentNames:
    """PY243: what was given by position is called by its name, which older releases take as well."""

    name = "argument_names"
    triggers = frozenset(f"{name}.*" for name in libraries.libraries())
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for call in calls_in(ctx.tree):
            if not call.args:
                continue
            takes = libraries.arguments(ctx.names.resolve_node(call.func) or "")
            if takes is None or takes.limit is None or len(call.args) <= takes.limit:
                continue
            if ctx.suppressed(CODE, call):
                continue
            try:
                slots = read_call(ctx.text, lines, call).slots[: len(call.args)]
            except (Unreadable, IndexError):
                continue
            names = takes.names[: len(slots) - takes.limit]
            given = {keyword.arg for keyword in call.keywords}
            if any(slot.stars for slot in slots) or len(names) < len(slots) - takes.limit or (
                    not all(names) or given.intersection(names)):
                continue  # what is told of it is another module's
            for slot, name in zip(slots[takes.limit :], names, strict=True):
                edits.append(Edit(slot.start, slot.start, (f"{name}=",)))
            ctx.change(CODE, call, f"{takes.release} takes it by name only", Rung.NATIVE)
        return apply(ctx.text, edits)[0] if edits else None
