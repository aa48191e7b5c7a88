"""Fits the arguments of a TF 1 call to the TF 2 signature of the same function.

Where only names or the order of parameters changed no rule needs to be written: both signatures
are in the snapshots, and ``keywords`` tables of the packs say what renamed parameters are called
now, which ones may be dropped, and which defaults of TF 1 are written out because TF 2 has others.
Arguments stay where they are; a positional one that TF 2 would bind to another parameter gets its
keyword.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from migrator.analysis.api import Signature
from migrator.engine.callsite import CallSite, Slot

ANY = "*"  # the table whose entries hold for every function


@dataclass(frozen=True, slots=True)
class Keyword:
    """What became of one parameter.

    `to` is its new name, ``""`` when it may be dropped; then `values` are the literals (source
    text) for which dropping changes nothing, empty for all.  `written` is TF 1's default, which
    calls that leave it out get written out: source text, or a name of the support package.
    """

    to: str
    values: tuple[str, ...] = ()
    written: str = ""


def read_keywords(table: Mapping[str, Any]) -> dict[str, Keyword]:
    """One function's entries of a ``keywords`` table.

    Raises ValueError for an entry that is no name, ``{ drop = [...] }`` or ``{ written = "..." }``
    (with ``to = "..."`` where it has another name, too).
    """
    found = {}
    for name, value in table.items():
        if isinstance(value, str):
            found[name] = Keyword(value)
        elif isinstance(value, Mapping) and isinstance(value.get("drop"), list):
            found[name] = Keyword("", tuple(str(item) for item in value["drop"]))
        elif isinstance(value, Mapping) and isinstance(value.get("written"), str):
            found[name] = Keyword(str(value.get("to", name)), written=value["written"])
        else:
            raise ValueError(
                f"{name}: a name, {{ drop = [...] }} or {{ written = \"...\" }} is wanted, "
                f"not {value!r}"
            )
    return found


@dataclass(frozen=True, slots=True)
class Piece:
    """One replacement inside a call's parentheses, with the reason for it.

    `name` is a name of the support package that follows the text, as the file imports it.
    """

    start: int
    end: int
    text: str
    reason: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why TF 2's function cannot be called this way."""

    reason: str


class Fit:
    """How the parameters of one TF 1 function map to those of its successor.

    `namesake` is the TF 1 function under the successor's name, where there was another one: an
    argument whose place means something else there gets its keyword, so that the result is not
    taken for a call of the namesake.  `options` are the names that TF 2's ``**kwargs`` takes, None
    where it takes all.
    """

    def __init__(
        self,
        old: Signature | None,
        new: Signature | None,
        keywords: Mapping[str, Keyword],
        namesake: Signature | None = None,
        options: frozenset[str] | None = None,
    ) -> None:
        self.namesake = None if namesake is None else _positional(namesake)
        self.keywords = keywords
        self.new = new
        variadic = old is not None and any(p.kind == "*" for p in old)
        self.old_order = [] if old is None or variadic else _positional(old)
        self.known_order = old is not None and not variadic
        # what TF 1 let one leave out is not missed where TF 2's signature hides its default
        self.optional = {p.name for p in old or () if p.default is not None}
        self.old_names = {p.name for p in old or () if p.kind in ("positional", "keyword")}
        self.new_order = _positional(new or ())
        self.new_names = {p.name for p in new or () if p.kind in ("positional", "keyword")}
        self.required = {
            p.name for p in new or () if p.kind in ("positional", "keyword") and p.default is None
        }
        self.open = any(p.kind == "**" for p in new or ()) and options is None
        if options is not None and any(p.kind == "**" for p in new or ()):
            self.new_names |= options
        self.many = any(p.kind == "*" for p in new or ())

    @property
    def differs(self) -> tuple[str, ...]:
        """TF 1 parameters that are not in the same place, or not there, in TF 2."""
        if self.new is None:
            return ()
        found = [
            name
            for place, name in enumerate(self.old_order)
            if self.new_order[place : place + 1] != [name] and not self.many
        ]
        found += sorted(
            n for n in self.old_names - set(self.old_order) if n not in self.new_names
            and not self.open
        )  # fmt: skip
        return tuple(found)

    @property
    def reordered(self) -> bool:
        """Whether a positional argument of TF 2 would mean another parameter in TF 1."""
        both = zip(self.old_order, self.new_order, strict=False)
        return any(old != new for old, new in both)

    @property
    def moved(self) -> tuple[str, ...]:
        """TF 1 parameters whose place means another parameter in TF 2, or one that there was not."""
        found = []
        for place, name in enumerate(self.old_order[: len(self.new_order)]):
            known = self.target(name)
            if known is None or self.new_order[place] != known.to:
                found.append(name)
        return tuple(found)

    def target(self, name: str) -> Keyword | None:
        """What a TF 1 parameter is called now, None when TF 2 has nothing for it."""
        found = self.keywords.get(name)
        if found is not None and (not found.to or found.to in self.new_names or self.open):
            return found
        if name in self.new_names or self.open:
            return Keyword(name)
        return None

    @property
    def changed(self) -> tuple[str, ...]:
        """TF 1 parameters that a keyword argument may no longer be called."""
        known = {name: self.target(name) for name in self.old_names}
        return tuple(sorted(n for n, t in known.items() if t is None or t.to != n))

    def apply(self, site: CallSite, skip: int = 0) -> list[Piece] | Misfit:
        """The replacements that make a call right for TF 2; an empty list when it is already.

        The first `skip` arguments are not the function's own (``functools.partial(f, ...)``).
        """
        if self.new is None:
            return []
        pieces: list[Piece] = []
        shifted = False
        place = 0
        hidden = False  # behind a starred argument, places are not known
        given: set[str] = set()
        gone: dict[int, str] = {}  # arguments that are taken out, by their place
        twice = self._given_twice(site, skip)
        if isinstance(twice, Misfit):
            return twice
        for index, slot in enumerate(site.slots):
            if index < skip:
                continue
            if index in twice:
                gone[index] = twice[index]
                shifted = shifted or slot.keyword is None
                place += slot.keyword is None
                continue
            given |= self._bound(slot, place)
            if slot.stars:
                if self.differs and slot.stars == 1:
                    return Misfit(f"*{ast.unparse(slot.node)} hides which arguments are given")
                hidden = hidden or slot.stars == 1
                continue
            if hidden and slot.keyword is None:
                continue
            if slot.keyword is not None:
                found = self._keyword(site, index, slot, slot.keyword)
            else:
                found, shifted = self._positional(site, index, slot, place, shifted)
                place += 1
            if isinstance(found, Misfit):
                return found
            for piece in found:
                if piece.text:
                    pieces.append(piece)
                else:
                    gone[index] = piece.reason
        pieces += without(site, gone)
        pieces += self._defaults(site, given, hidden)
        given |= {known.to for known in self.written.values()}
        needed = self.required - given - self.optional
        if needed and pieces and not skip and not any(slot.stars for slot in site.slots):
            return Misfit(f"TensorFlow 2 wants {', '.join(sorted(needed))} as well")
        return pieces

    def _given_twice(self, site: CallSite, skip: int) -> dict[int, str] | Misfit:
        """Arguments, by their place in the call, that are None because the parameter is given under
        its other name: ``tf.expand_dims(x, None, "e", 0)``, whose last argument is `dim`."""
        seen: dict[str, int] = {}
        found: dict[int, str] = {}
        place = 0
        for index, slot in enumerate(site.slots[skip:], skip):
            name = slot.keyword
            if slot.stars or name is None and place >= len(self.old_order):
                break
            if name is None:
                name = self.old_order[place]
                place += 1
            known = self.target(name)
            if known is None or not known.to:
                continue
            first = seen.setdefault(known.to, index)
            if first == index:
                continue
            none = next((i for i in (first, index) if _is_none(site.slots[i].node)), None)
            if none is None:
                return Misfit(f"{known.to} is given under two names")
            found[none] = f"{known.to} is given under its other name"
            seen[known.to] = first + index - none
        return found

    @property
    def written(self) -> dict[str, Keyword]:
        """The parameters whose default was another one in TF 1, by their TF 1 name."""
        return {name: k for name, k in self.keywords.items() if k.written}

    def _defaults(self, site: CallSite, given: set[str], hidden: bool) -> list[Piece]:
        """What TF 1 took for arguments that are not given and TF 2 takes for something else."""
        found: list[Piece] = []
        if hidden or any(slot.stars for slot in site.slots):
            return found
        end = site.slots[-1].end if site.slots else site.open
        for name, known in self.written.items():
            if given & {name, known.to} or known.to not in self.new_names:
                continue
            comma = ", " if site.slots or found else ""
            ours = known.written.startswith("tf1_support.")
            text = f"{comma}{known.to}=" + ("" if ours else known.written)
            reason = f"TensorFlow 2 has another default for {known.to}"
            found.append(Piece(end, end, text, reason, known.written if ours else ""))
        return found

    def _bound(self, slot: Slot, place: int) -> set[str]:
        """The parameters of TF 2 that an argument is for."""
        if slot.keyword is not None:
            known = self.target(slot.keyword)
            return {slot.keyword} | ({known.to} if known is not None else set())
        names = self.old_order if self.known_order else self.new_order
        if slot.stars or place >= len(names):
            return set()
        known = self.target(names[place])
        found = {known.to} if known is not None else set()
        return found | set(self.new_order[place : place + 1])

    def _keyword(
        self, site: CallSite, index: int, slot: Slot, name: str
    ) -> list[Piece] | Misfit:
        known = self.target(name)
        if known is None:
            if _is_none(slot.node):
                return [dropped(site, index, f"{name} is gone, and None was its default")]
            return Misfit(f"TensorFlow 2 has no argument {name} here")
        if not known.to:
            return self._drop(site, index, slot, name, known)
        if known.to == name:
            return []
        return [
            Piece(slot.start, slot.start + len(name), known.to, f"{name} is {known.to} now")
        ]

    def _drop(
        self, site: CallSite, index: int, slot: Slot, name: str, known: Keyword
    ) -> list[Piece] | Misfit:
        if known.values and ast.unparse(slot.node) not in known.values:
            return Misfit(f"{name}={ast.unparse(slot.node)} has no counterpart in TensorFlow 2")
        return [dropped(site, index, f"{name} is gone and was without effect here")]

    def _positional(
        self, site: CallSite, index: int, slot: Slot, place: int, shifted: bool
    ) -> tuple[list[Piece] | Misfit, bool]:
        if not self.known_order:
            return [], shifted
        if place >= len(self.old_order):
            if not shifted and (self.many or place < len(self.new_order)):
                return [], shifted
            return Misfit(f"TensorFlow 2 takes no {place + 1} positional arguments here"), shifted
        name = self.old_order[place]
        known = self.target(name)
        if known is None:
            if _is_none(slot.node):
                return [dropped(site, index, f"{name} is gone, and None was its default")], True
            return Misfit(f"TensorFlow 2 has no argument {name} here"), shifted
        if not known.to:
            return self._drop(site, index, slot, name, known), True
        clear = self.namesake is None or self.namesake[place : place + 1] == [known.to]
        if not shifted and clear and self.new_order[place : place + 1] == [known.to]:
            return [], False
        reason = f"the parameter {known.to} has another place now"
        return [Piece(slot.start, slot.start, f"{known.to}=", reason)], True


def _positional(signature: Signature) -> list[str]:
    return [p.name for p in signature if p.kind == "positional"]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def dropped(site: CallSite, index: int, reason: str) -> Piece:
    """The piece that takes one argument out of a call, its comma included."""
    return without(site, {index: reason})[0]


def without(site: CallSite, reasons: Mapping[int, str]) -> list[Piece]:
    """The pieces that take arguments out of a call, with their commas: one for each run of them."""
    slots, found = site.slots, []
    for first in sorted(reasons):
        if first - 1 in reasons:
            continue
        last = first
        while last + 1 in reasons:
            last += 1
        reason = "; ".join(reasons[index] for index in range(first, last + 1))
        if first:
            start, end = slots[first - 1].end, slots[last].end
        else:
            start = slots[0].start
            end = slots[last + 1].start if last + 1 < len(slots) else slots[last].end
        found.append(Piece(start, end, "", reason))
    return found
