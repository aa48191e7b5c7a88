"""One use of a template: a new expression is rendered around the old arguments.

Arguments are never re-printed: a hole becomes the span of text that it bound, with the gaps
(white space, line breaks, comments) between arguments kept where the arguments keep their order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from migrator.engine.callsite import CallSite, Slot
from migrator.engine.edits import Lines, Piece
from migrator.engine.pattern import Match
from migrator.engine.precedence import ATOM, precedence


class RenderError(ValueError):
    """A call for which the rewrite lacks an argument."""


@dataclass(frozen=True)
class Hole:
    """A place for bound text; `least` is the precedence that needs no parentheses there."""

    name: str
    least: int


@dataclass(frozen=True)
class Complement:
    """``1 - name`` as a whole argument: of a bound ``1 - x`` it leaves ``x``."""

    hole: Hole


@dataclass(frozen=True)
class Either:
    """``one or other`` as a whole argument: of a text that is not empty, the text."""

    one: Hole
    other: Hole


@dataclass(frozen=True)
class Rest:
    """``*name`` inside a list or tuple: all further arguments, comma-separated."""

    name: str


@dataclass(frozen=True)
class Ref:
    """A module, or something in it, by canonical name; printed as the file can reach it."""

    name: str


@dataclass
class Arg:
    """One argument of a call in the template."""

    keyword: str | None
    stars: int
    parts: list[Part]
    holes: frozenset[str]

    @property
    def hole(self) -> Hole | None:
        """The hole, when that is all there is."""
        return self.parts[0] if len(self.parts) == 1 and isinstance(self.parts[0], Hole) else None


@dataclass
class Call:
    """A call in the template, whose arguments vanish when what they need was not given."""

    func: list[Part]
    args: list[Arg]


Part = str | Hole | Complement | Either | Rest | Ref | Call
RefPrinter = Callable[[str], str]


class Rendering:
    """One use of a template."""

    def __init__(
        self,
        text: str,
        site: CallSite | None,
        match: Match,
        ref: RefPrinter,
        lambdas: bool = False,
    ) -> None:
        self.text = text
        self.site = site
        self.match = match
        self.ref = ref
        self.lambdas = lambdas
        self.carrier: Call | None = None

    def run(self, parts: list[Part]) -> list[Piece]:
        if self.site is not None and self.site.slots:
            self.carrier = self._find_carrier(parts)
        return self._join(self._render(parts))

    def _find_carrier(self, parts: list[Part]) -> Call | None:
        """The call that keeps most arguments as they are; it keeps the old call's layout."""
        best: tuple[int, Call] | None = None
        stack = list(parts)
        while stack:
            part = stack.pop(0)
            if isinstance(part, Call):
                count = sum(1 for arg in part.args if arg.holes and self._kept(arg))
                if count and (best is None or count > best[0]):
                    best = (count, part)
                stack.extend(part.func)
                for arg in part.args:
                    stack.extend(arg.parts)
        return best[1] if best else None

    @staticmethod
    def _join(pieces: list[Piece]) -> list[Piece]:
        joined: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, str) and joined and isinstance(joined[-1], str):
                joined[-1] += piece
            elif piece != "":
                joined.append(piece)
        return joined

    def _render(self, parts: list[Part]) -> list[Piece]:
        pieces: list[Piece] = []
        for part in parts:
            if isinstance(part, str):
                pieces.append(part)
            elif isinstance(part, Ref):
                pieces.append(self.ref(part.name))
            elif isinstance(part, Hole):
                pieces.extend(self._hole(part))
            elif isinstance(part, Complement):
                pieces.extend(self._complement(part.hole))
            elif isinstance(part, Either):
                slot = self.match.holes.get(part.one.name)
                pieces.extend(self._hole(part.one))
                if slot is None or not (
                        isinstance(slot.node, ast.Constant) and isinstance(slot.node.value, str)
                        and slot.node.value):  # fmt: skip
                    pieces += [" or ", *self._hole(part.other)]
            elif isinstance(part, Rest):
                for index, slot in enumerate(self.match.rests.get(part.name, ())):
                    pieces.extend([", "] if index else [])
                    pieces.append((slot.start, slot.end))
            else:
                pieces.extend(self._render(part.func))
                pieces.extend(
                    self._in_layout(part) if part is self.carrier else self._plain(part)
                )
        return pieces

    def _hole(self, hole: Hole) -> list[Piece]:
        slot = self.match.holes.get(hole.name)
        if slot is None:
            default = self.match.defaults.get(hole.name)
            if default is None:
                raise RenderError(f"the argument {hole.name} is not given")
            if default.startswith("tf."):
                return [self.ref("tensorflow" + default[2:])]
            return [default]
        return self._value(slot, hole.least)

    def _complement(self, hole: Hole) -> list[Piece]:
        slot = self.match.holes.get(hole.name)
        node = slot.node if slot is not None else None
        if slot is not None and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and (
                isinstance(node.left, ast.Constant) and node.left.value == 1):
            low, high = Lines(self.text).span(node.right)
            if "#" not in self.text[slot.value_start : low] + self.text[high : slot.end]:
                return [(low, high)]
        return ["1 - ", *self._hole(hole)]

    def _value(self, slot: Slot, least: int) -> list[Piece]:
        span = (slot.value_start, slot.end)
        own = self.text[slot.value_start : slot.end]
        if isinstance(slot.node, ast.GeneratorExp) and not own.startswith("("):
            return ["(", span, ")"]
        if slot.parenthesised or (precedence(slot.node) >= least and not self._loose_lines(slot, own, least)):
            if least == ATOM and isinstance(slot.node, ast.Constant) and own.isdigit():
                return ["(", span, ")"]
            return [span]
        return ["(", span, ")"]

    @staticmethod
    def _loose_lines(slot: Slot, own: str, least: int) -> bool:
        """Whether the text runs over lines outside brackets, and so needs some."""
        if "\n" not in own or least <= 1:
            return False
        return precedence(slot.node) < ATOM or isinstance(slot.node, ast.Constant)

    # -- arguments

    def _kept(self, arg: Arg) -> bool:
        """Whether an argument of the template takes part in this call."""
        if not arg.holes:
            return True
        if arg.stars:
            hole = arg.hole
            return hole is not None and hole.name in self.match.rests
        if self.lambdas:
            return all(name in self.match.defaults for name in arg.holes)
        return any(name in self.match.holes or name in self.match.rests for name in arg.holes)

    def _args(self, call: Call) -> list[Arg]:
        kept = [arg for arg in call.args if self._kept(arg)]
        last = max(
            (i for i, a in enumerate(call.args) if a.keyword is None and a in kept), default=-1
        )
        result = []
        for index, arg in enumerate(call.args):
            if arg in kept:
                result.append(arg)
            elif index < last and arg.keyword is None and not arg.stars:
                # a later positional argument is given: this one must hold its place
                if all(name in self.match.defaults for name in arg.holes):
                    result.append(arg)
                else:
                    raise RenderError(f"the argument {', '.join(sorted(arg.holes))} is not given")
        return result

    def _targets(self, call: Call) -> list[tuple[Slot | None, list[Piece]]]:
        """(the slot whose place it takes, its text) of every argument of the new call."""
        targets: list[tuple[Slot | None, list[Piece]]] = []
        for arg in self._args(call):
            if arg.stars and arg.hole is not None and arg.hole.name in self.match.rests:
                for slot in self.match.rests[arg.hole.name]:
                    targets.append((slot, [(slot.start, slot.end)]))
                continue
            prefix = f"{arg.keyword}=" if arg.keyword else "*" * arg.stars
            slots = [slot for name, slot in self.match.holes.items() if name in arg.holes]
            for name in arg.holes & self.match.rests.keys():
                slots += self.match.rests[name]
            first = min(slots, key=lambda slot: slot.start) if slots else None
            hole = arg.hole
            if hole is not None and first is not None and first.keyword == arg.keyword:
                if isinstance(first.node, ast.GeneratorExp):
                    targets.append((first, [prefix, *self._value(first, 1)]))
                else:
                    targets.append((first, [(first.start, first.end)]))
                continue
            targets.append((first, [prefix, *self._render(arg.parts)]))
        return targets

    def _plain(self, call: Call) -> list[Piece]:
        pieces: list[Piece] = ["("]
        for index, (_, own) in enumerate(self._targets(call)):
            if index:
                pieces.append(", ")
            pieces.extend(own)
        pieces.append(")")
        return pieces

    def _in_layout(self, call: Call) -> list[Piece]:
        """The new arguments in the old call's layout."""
        site = self.site
        assert site is not None
        targets = self._targets(call)
        index_of = {id(slot): i for i, slot in enumerate(site.slots)}
        places = [index_of.get(id(slot)) if slot is not None else None for slot, _ in targets]
        known = [place for place in places if place is not None]
        if known != sorted(set(known)):
            places = [i if i < len(site.slots) else None for i in range(len(targets))]
        pieces: list[Piece] = ["("]
        previous: int | None = None
        for position, (place, (_, own)) in enumerate(zip(places, targets, strict=True)):
            if place is None:
                pieces.append(", " if position else "")
            else:
                pieces.append(self._lead(previous, place, position == 0))
                previous = place
            pieces.extend(own)
        if not targets:
            return ["()"]
        pieces.append(self._tail(previous))
        return pieces

    def _gap(self, index: int) -> str:
        assert self.site is not None
        low, high = self.site.gap(index)
        return self.text[low:high]

    def _lead(self, previous: int | None, place: int, first: bool) -> str:
        """What stands before the argument at `place`, the one before it being `previous`."""
        if first:
            return self._gap(0)
        if previous is None:
            return ", "
        after = self._gap(previous + 1)
        if previous + 1 == place:
            return after
        before = self._gap(place)
        if "\n" in after and "\n" in before:
            # the comment behind the kept argument stays, that of the dropped one goes
            return after[: after.index("\n")] + before[before.index("\n") :]
        return after

    def _tail(self, previous: int | None) -> str:
        site = self.site
        assert site is not None
        end = self._gap(len(site.slots)) + ")"
        if previous is None:
            return ")"
        if previous + 1 == len(site.slots):
            return end
        after = self._gap(previous + 1)
        if "#" in after:
            tail = end[end.index("\n") :] if "\n" in end else after[after.index("\n") :].rstrip(" ")
            return after[: after.index("\n")] + (tail if tail.endswith(")") else tail + ")")
        return end if not end.lstrip().startswith("#") else ")"

