"""Lines of notebooks that choose packages: ``!pip install tensorflow==1.15``, ``%tensorflow_version``."""

from __future__ import annotations

import re

from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.engine.requirements import updated_command
from migrator.model import Confidence
from migrator.project.notebook import is_notebook, with_magics

_VERSION = re.compile(r"%tensorflow_version\s+1(\.\w+)?")


@transform
class NotebookMagics:
    """DEP1xx: the pins that a notebook installs are those of the working set."""

    name = "notebook_magics"
    triggers = frozenset({"tensorflow.*", "keras.*"})
    order = 4

    def run(self, ctx: FileContext) -> str | None:
        if not is_notebook(ctx.path):
            return None

        def changed(line: str, number: int) -> str:
            if ctx.suppressed("DEP101", number):
                return line
            version = _VERSION.match(line)
            new, reasons = updated_command(line) if line[:1] in "!%" else (line, [])
            if version is not None:
                new = f"%tensorflow_version 2.x{line[version.end():]}"
                reasons = [("DEP101", "the notebook is migrated to TensorFlow 2")]
            for code, reason in reasons:
                ctx.change(code, number, reason, confidence=Confidence.LIKELY)
            return new

        new = with_magics(ctx.text, changed)
        return new if new != ctx.text else None
