"""Which structural transforms a file is due for, asked of a table that is made once for all files."""

from __future__ import annotations

from collections.abc import Iterable

from migrator.analysis.names import NameTable
from migrator.engine.registry import Transform


class Triggers:
    """Transforms by what triggers them."""

    def __init__(self, transforms: Iterable[Transform]) -> None:
        self._transforms = list(transforms)
        self._exact: dict[str, set[int]] = {}
        self._below: dict[str, set[int]] = {}  # prefixes: the name itself and all below it
        self._words: list[tuple[str, int]] = []
        for number, item in enumerate(self._transforms):
            for trigger in item.triggers:
                if trigger.endswith("*"):
                    self._below.setdefault(trigger[:-1].rstrip("."), set()).add(number)
                else:
                    self._exact.setdefault(trigger, set()).add(number)
            self._words += [(word, number) for word in getattr(item, "words", ())]

    def due(self, names: NameTable, text: str = "") -> list[Transform]:
        """Those of which a trigger is referenced or imported, or a word is in `text`; in order."""
        hit = {number for word, number in self._words if word in text}
        below = dict(self._below)
        for name in names.referenced():
            hit |= self._exact.get(name, set())
            for prefix in [p for p in below if name.startswith(p)]:
                if len(name) == len(prefix) or name[len(prefix)] in ".(":
                    hit |= below.pop(prefix)
        return [item for number, item in enumerate(self._transforms) if number in hit]


__all__ = ["Triggers"]
