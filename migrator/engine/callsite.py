"""Where the arguments of a call lie in the text, with their parentheses, commas and comments."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrator.analysis.api import Signature
from migrator.engine.edits import Lines


@dataclass(slots=True)
class Slot:
    """One argument: ``text[start:end]`` with its keyword or stars, value at ``value_start``.

    Parentheses around the value belong to it. `stars` is 0, 1 (``*a``) or 2 (``**k``).
    """

    keyword: str | None
    stars: int
    start: int
    value_start: int
    end: int
    node: ast.expr
    parenthesised: bool = False


@dataclass(slots=True)
class CallSite:
    """A call: ``func(`` up to `open` (just behind the parenthesis), slots, and `end`."""

    start: int
    func_end: int
    open: int
    slots: list[Slot]
    end: int

    def gap(self, index: int) -> tuple[int, int]:
        """The span between slot ``index - 1`` (or the parenthesis) and slot `index` (or the
        closing parenthesis, exclusive)."""
        low = self.slots[index - 1].end if index else self.open
        high = self.slots[index].start if index < len(self.slots) else self.end - 1
        return low, high


class Unreadable(ValueError):
    """The text between the arguments is not what the syntax tree says (f-strings)."""


def accepts(signature: Signature, site: CallSite, skip: int = 0) -> bool:
    """Whether a function with this signature may be called like this, the first `skip` arguments
    left out; what stars hide may be anything, and required arguments may be among it."""
    names = {p.name for p in signature if p.kind in ("positional", "keyword")}
    most = sum(p.kind == "positional" for p in signature)
    kinds = {p.kind for p in signature}
    slots = [slot for slot in site.slots[skip:] if not slot.stars]
    given = [slot.keyword for slot in slots if slot.keyword is not None]
    if "**" not in kinds and not names.issuperset(given):
        return False
    return "*" in kinds or len(slots) - len(given) <= most


def skip_space(text: str, position: int, end: int) -> int:
    """The next position that is neither blank, comment nor line continuation."""
    while position < end:
        char = text[position]
        if char == "#":
            while position < end and text[position] not in "\r\n":
                position += 1
        elif char in " \t\r\n\f\\":
            position += 1
        else:
            break
    return position


def read_call(text: str, lines: Lines, node: ast.Call) -> CallSite:
    """The layout of a call.

    Raises Unreadable where positions and text disagree.
    """
    start, end = lines.span(node)
    func_end = lines.span(node.func)[1]
    position = skip_space(text, func_end, end)
    while position < end and text[position] == ")":
        position = skip_space(text, position + 1, end)
    if position >= end or text[position] != "(" or text[end - 1 : end] != ")":
        raise Unreadable("no parenthesis where the call opens")
    open_ = position + 1
    items: list[tuple[int, int, ast.expr, str | None, int]] = []
    for arg in node.args:
        value = arg.value if isinstance(arg, ast.Starred) else arg
        items.append((*lines.span(value), value, None, int(isinstance(arg, ast.Starred))))
    for keyword in node.keywords:
        items.append(
            (*lines.span(keyword.value), keyword.value, keyword.arg, 0 if keyword.arg else 2)
        )
    items.sort(key=lambda item: item[:2])
    slots: list[Slot] = []
    position = open_
    if len(items) == 1 and isinstance(items[0][2], ast.GeneratorExp) and items[0][0] == open_ - 1:
        # f(x for x in y): the parentheses are the call's own
        return CallSite(
            start, func_end, open_, [Slot(None, 0, open_, open_, end - 1, items[0][2])], end
        )
    for index, (value_start, value_end, value, name, stars) in enumerate(items):
        limit = items[index + 1][0] if index + 1 < len(items) else end - 1
        first, opened = _read_lead(text, position, value_start, name, stars)
        position = value_end
        closed = 0
        while True:
            position = skip_space(text, position, limit)
            if position < limit and text[position] == ")":
                closed += 1
                position += 1
                value_end = position
            else:
                break
        if closed > len(opened):
            raise Unreadable("parentheses do not pair")
        outer = opened[len(opened) - closed] if closed else value_start
        slot_start = outer if name is None and stars == 0 else first
        slots.append(Slot(name, stars, slot_start, outer, value_end, value, closed > 0))
        position = skip_space(text, position, limit)
        if position < limit and text[position] == ",":
            position += 1
    return CallSite(start, func_end, open_, slots, end)


def _read_lead(
    text: str, position: int, end: int, name: str | None, stars: int
) -> tuple[int, list[int]]:
    """(where the argument starts, where parentheses before its value open)."""
    opened: list[int] = []
    first = -1
    while True:
        position = skip_space(text, position, end)
        if position >= end:
            break
        char = text[position]
        if first < 0 and char != ",":
            first = position
        if char == "(":
            opened.append(position)
            position += 1
        elif char in "=*,":
            position += 1
        elif name is not None and text.startswith(name, position):
            position += len(name)
        else:
            raise Unreadable(f"unexpected {char!r} before an argument")
    return (first if first >= 0 else end), opened
