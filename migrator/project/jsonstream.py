"""A JSON object with one long list in it, read and written an item at a time.

What is written has a line for each item; what is read may be laid out as anybody likes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

_SPACE = " \t\r\n"
_CHUNK = 1 << 16
_SHOWN = 200


class NoObject(ValueError):
    """What is no such object; `line` (from 1) says where that shows."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def write(
    stream: BinaryIO, before: Mapping[str, Any], name: str, items: Iterable[Any],
    after: Mapping[str, Any], encode: Callable[[Any], str],
) -> None:  # fmt: skip
    """Write an object whose member `name` is a list of `items`, the other members around it."""

    def members(values: Mapping[str, Any]) -> str:
        return ",\n".join(f"{encode(key)}: {encode(value)}" for key, value in values.items())

    stream.write(f"{{{members(before)},\n{encode(name)}: [".encode())
    separator = "\n"
    for item in items:
        stream.write(f"{separator}{encode(item)}".encode())
        separator = ",\n"
    stream.write(f"\n],\n{members(after)}\n}}\n".encode())


def read(
    stream: BinaryIO, name: str, take: Callable[[dict[str, Any], Any], None]
) -> dict[str, Any]:
    """The object, without its member `name`, whose items are given to `take` one by one, with the
    members that came before; a member of that name that is no list is kept.

    Raises NoObject, RecursionError for what is nested too deeply, and what `take` raises.
    """
    return _Reader(stream).object(name, take)


class _Reader:
    """A text that is read as far as it is needed."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        self._decoder = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._line = 1
        self._size = _CHUNK
        self._ended = False

    def object(self, name: str, take: Callable[[dict[str, Any], Any], None]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self._next() != "{":
            raise NoObject("Expecting an object", self._here())
        for _ in self._members("{", "}"):
            key = self._value()
            if not isinstance(key, str) or self._next() != ":":
                raise NoObject("Expecting a name and a colon", self._here())
            self._at += 1
            if key == name and self._next() == "[":
                for _ in self._members("[", "]"):
                    take(found, self._value())
            else:
                found[key] = self._value()
        if self._next():
            raise NoObject("Extra data", self._here())
        return found

    def _members(self, opens: str, closes: str) -> Iterator[None]:
        """Stop before each member of an object or list; the brackets and commas are read here."""
        self._at += len(opens)
        if self._next() != closes:
            while True:
                yield
                end = self._next()
                if end == closes:
                    break
                if end != ",":
                    raise NoObject("Expecting ',' delimiter", self._here())
                self._at += 1
        self._at += 1

    def _next(self) -> str:
        """The next character that is no space, empty at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def _value(self) -> Any:
        self._next()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._more():
                    line = self._line + self._text.count("\n", 0, error.pos)
                    raise NoObject(error.msg, line) from error
                continue
            except ValueError as error:  # a number of thousands of digits
                raise NoObject(str(error)[:_SHOWN], self._here()) from error
            # A number or word at the end of what was read may go on.
            if end == len(self._text) and self._more():
                continue
            self._at = end
            self._size = _CHUNK
            return value

    def _more(self) -> bool:
        """Read on, ever more at a time while one value needs it; False at the end."""
        if self._ended:
            return False
        self._line += self._text.count("\n", 0, self._at)
        try:
            more = self._stream.read(self._size)
        except UnicodeDecodeError as error:
            raise NoObject("not text", self._here()) from error
        self._size *= 2
        self._text = self._text[self._at :] + more
        self._at = 0
        self._ended = not more
        return bool(more)

    def _here(self) -> int:
        return self._line + self._text.count("\n", 0, self._at)
