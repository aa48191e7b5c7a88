"""The rendered support package as its users see it, read no further than they ask."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from migrator.analysis.parsed import Parsed
from migrator.check.records import Bound, Class, Unit
from migrator.check.units import Reader

_START = re.compile(r"^[A-Za-z_@]", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
_IMPORTS = ("from ", "import ")
_DEFINED = re.compile(r"^(?:async def|def|class) (\w+)", re.MULTILINE)
_HEADER = re.compile(r"(?:@[^\n]*\n)*(?:async )?def \w+\((?:[^()]|\([^()]*\))*\)(?: -> [^\n]+)?:(?=\n)")
_DOCSTRING = re.compile(r'(?:#[^\n]*\n|\s)*"""(?:[^"\\]|\\.|"(?!""))*"""\n?')


def package(files: Mapping[str, str]) -> dict[str, Unit]:
    """The modules of the support package, from its files."""
    return {name[:-3]: _unit(name, text) for name, text in files.items()}


@lru_cache(maxsize=512)
def _unit(name: str, text: str) -> Unit:
    stem = name[:-3]
    module = "tf1_support" if stem == "__init__" else f"tf1_support.{stem}"
    parts = _Parts(text, module, stem == "__init__")
    unit = Unit(f"<tf1_support>/{name}", module, parts, open="def __getattr__" in text)
    unit.classes = _Classes(parts)
    return unit


class _Parts(Mapping[str, Bound]):
    """What a rendered module binds: found by the first words of its statements, read when asked."""

    def __init__(self, text: str, module: str, is_package: bool) -> None:
        self._text = text
        self._module = module
        self._is_package = is_package
        self._where: dict[str, str] = {}
        self._read: dict[str, Unit] = {}
        for part in _statements(text):
            for name in _binds(part):
                self._where[name] = part

    def __iter__(self) -> Iterator[str]:
        return iter(self._where)

    def __len__(self) -> int:
        return len(self._where)

    def __getitem__(self, name: str) -> Bound:
        return self.unit(name).binds[name]

    def unit(self, name: str) -> Unit:
        """The statement that binds a name, read as a module of its own among the imports."""
        part = self._where[name]
        known = self._read.get(part)
        if known is None:
            parsed = Parsed(self._around(part) + _header(part))
            reader = Reader("<tf1_support>", parsed, self._module, self._is_package)
            known = self._read[part] = reader.unit()
        return known

    def _around(self, part: str) -> str:
        """The module's other names that a statement has, as stubs and imports."""
        if part.startswith(_IMPORTS):
            return ""
        own = _binds(part)
        lines: dict[str, None] = {}
        for word in dict.fromkeys(_WORD.findall(part)):
            home = self._where.get(word)
            if home is not None and word not in own:
                lines[home if home.startswith(_IMPORTS) else f"def {word}(): ..."] = None
        return "\n".join([*lines, ""])


def _header(part: str) -> str:
    """A function without its body, of which nobody asks anything; other statements whole."""
    end = _HEADER.match(part)
    return f"{end[0]} ...\n" if end is not None else part


class _Classes(Mapping[str, Class]):
    """The classes of a rendered module."""

    def __init__(self, parts: _Parts) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[str]:
        return (name for name, bound in self._parts.items() if bound.kind == "class")

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Class:
        top = name.partition(".")[0]
        return self._parts.unit(top).classes[name]


def _statements(text: str) -> Iterator[str]:
    """The statements of a rendered module, each from its first line to the next one's."""
    found = _DOCSTRING.match(text)
    start = found.end() if found is not None else 0
    places = [match.start() for match in _START.finditer(text, start)]
    joined = ""
    for place, following in zip(places, [*places[1:], len(text)], strict=bool(places)):
        joined += text[place:following]
        if not text.startswith("@", place):  # a decorator belongs to what it decorates
            yield joined
            joined = ""


def _binds(part: str) -> list[str]:
    if part.startswith(("@", "def ", "class ")):
        found = _DEFINED.search(part)
        if found is not None:
            return [found[1]]
    tree = ast.parse(part)
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names += [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
    return names


__all__ = ["package"]
