"""A module's text as parsed: its syntax tree and name table, kept from one look at it to the next."""

from __future__ import annotations

import ast

from migrator.analysis.names import NameTable


class Parsed:
    """The tree of a text, and its names once somebody asks; neither is to be changed."""

    __slots__ = ("_names", "text", "tree")

    def __init__(self, text: str, tree: ast.Module | None = None) -> None:
        """`tree` where there is one already; raises what `ast.parse` raises."""
        self.text = text
        self.tree = tree or ast.parse(text)
        self._names: NameTable | None = None

    @property
    def names(self) -> NameTable:
        """The table in which relative imports keep their dots."""
        if self._names is None:
            self._names = NameTable.of(self.tree)
        return self._names

    def names_in(self, module: str, is_package: bool) -> NameTable:
        """The table of the text as module `module`, which only relative imports can tell apart."""
        if self._names is not None and not self._names.relative:
            return self._names
        made = NameTable.of(self.tree, module, is_package)
        if not made.relative:
            self._names = made
        return made


class Kept:
    """What was parsed of files that will be looked at again, as far as memory allows.

    `characters` bounds the texts: their trees and tables take some 33 bytes for each.
    """

    def __init__(self, characters: int) -> None:
        self._room = characters
        self._parsed: dict[str, Parsed] = {}

    def keep(self, path: str, parsed: Parsed) -> None:
        """Keep it, unless that is too much; what came first stays, as it is needed first."""
        if len(parsed.text) <= self._room:
            self._room -= len(parsed.text)
            self._parsed[path] = parsed

    def take(self, path: str, text: str) -> Parsed | None:
        """Give out, and keep no longer, what was kept of `path` if its text is still this one."""
        parsed = self._parsed.pop(path, None)
        return parsed if parsed is not None and parsed.text == text else None


__all__ = ["Kept", "Parsed"]
