"""The `match` side of a rule: a call or a dotted name with holes, bound by the TF 1 signature."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from migrator.analysis.api import Parameter, Signature
from migrator.analysis.names import canonical, dotted_parts
from migrator.engine.callsite import Slot

ROOTS = {"tf": "tensorflow", "np": "numpy", "slim": "tensorflow.contrib.slim"}


class PatternError(ValueError):
    """A pattern that is no call and no dotted name."""


def canonical_of(parts: list[str]) -> str:
    """The canonical name that a pattern's dotted name stands for (``xrange`` is a built-in)."""
    root = ROOTS.get(parts[0])
    if root is None:
        root = parts[0] if len(parts) > 1 else f"builtins.{parts[0]}"
    return canonical(".".join([root, *parts[1:]]))[0]


@dataclass
class Match:
    """What the holes of a pattern stand for in one call; lists for ``*holes``/``**holes``."""

    holes: dict[str, Slot] = field(default_factory=dict)
    rests: dict[str, list[Slot]] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Mismatch:
    """Why a pattern does not fit a call; `hidden` when ``*args``/``**kwargs`` keep it unknown. `given` are
    the parameters that the call gives, where one of them has no place in the rewrite."""

    reason: str
    hidden: bool = False
    given: frozenset[str] = frozenset()


@dataclass(frozen=True)
class NamePattern:
    """A dotted name that is replaced wherever it is read."""

    name: str


@dataclass
class CallPattern:
    """A call of `name`; `params` in binding order; per parameter a hole or a wanted literal."""

    name: str
    params: Signature
    holes: dict[str, str]
    literals: dict[str, str]
    required: frozenset[str]
    rest: str | None = None  # the hole of further positional arguments
    keyword_rest: str | None = None  # the hole of further keyword arguments

    def bind(self, slots: list[Slot]) -> Match | Mismatch:
        """Bind a call's arguments to the holes."""
        match = Match()
        positional = [p for p in self.params if p.kind == "positional"]
        variadic = any(p.kind == "*" for p in self.params)
        by_name = {p.name: p for p in self.params if p.kind in ("positional", "keyword")}
        given: dict[str, Slot] = {}
        index = 0
        for slot in slots:
            if slot.stars:
                alone = self.rest is not None and slot.stars == 1 and index >= len(positional)
                if alone or (self.keyword_rest is not None and slot.stars == 2):
                    hole = self.rest if slot.stars == 1 else self.keyword_rest
                    match.rests.setdefault(str(hole), []).append(slot)
                    continue
                stars = "*" * slot.stars
                return Mismatch(f"{stars}{ast.unparse(slot.node)} hides which arguments are given", True)
            if slot.keyword is None:
                if index < len(positional):
                    given[positional[index].name] = slot
                elif variadic and self.rest is not None:
                    match.rests.setdefault(self.rest, []).append(slot)
                else:
                    return Mismatch(f"it is called with {index + 1} positional arguments")
                index += 1
            elif slot.keyword in by_name:
                given[slot.keyword] = slot
            elif self.keyword_rest is not None:
                match.rests.setdefault(self.keyword_rest, []).append(slot)
            else:
                return Mismatch(f"the argument {slot.keyword} is not known")
        return self._check(given, by_name, match)

    def _check(
        self, given: dict[str, Slot], by_name: dict[str, Parameter], match: Match
    ) -> Match | Mismatch:
        for name, slot in given.items():
            if name in self.holes:
                match.holes[self.holes[name]] = slot
            elif name in self.literals:
                if ast.dump(slot.node) != self.literals[name]:
                    return Mismatch(f"the argument {name} is {ast.unparse(slot.node)}")
            elif _is_default(slot.node, by_name[name]):
                continue  # spelled out, and what it would be anyway
            elif self.keyword_rest is not None and slot.keyword is not None:
                match.rests.setdefault(self.keyword_rest, []).append(slot)
            else:
                return Mismatch(f"the argument {name} has no rewrite", given=frozenset(given))
        for name, literal in self.literals.items():
            if name not in given:
                default = by_name[name].default if name in by_name else None
                if default is None or _dump(default) != literal:
                    return Mismatch(f"the argument {name} is not given")
        for name in self.required:
            if name == "**":  # a rule for calls that unpack a dict
                unpacked = match.rests.get(str(self.keyword_rest), [])
                if not any(slot.stars == 2 for slot in unpacked):
                    return Mismatch("no ** is given")
            elif name not in given:
                return Mismatch(f"the argument {name} is not given")
        for name, hole in self.holes.items():
            parameter = by_name.get(name)
            if hole not in match.holes and parameter is not None and parameter.default is not None:
                match.defaults[hole] = parameter.default
        return match


def _dump(source: str) -> str:
    try:
        return ast.dump(ast.parse(source, mode="eval").body)
    except SyntaxError:
        return ""


def _is_default(node: ast.expr, parameter: Parameter) -> bool:
    return parameter.default == "None" and isinstance(node, ast.Constant) and node.value is None


def compile_pattern(source: str, signature: Signature | None) -> CallPattern | NamePattern:
    """Compile a `match` expression.

    `signature` is that of the matched symbol in TF 1; without one, the pattern's own order of
    arguments is taken for it. Raises PatternError or SyntaxError.
    """
    node = ast.parse(source.strip(), mode="eval").body
    if not isinstance(node, ast.Call):
        parts = dotted_parts(node)
        if parts is None:
            raise PatternError(f"{source!r} is neither a call nor a dotted name")
        return NamePattern(canonical_of(parts))
    parts = dotted_parts(node.func)
    if parts is None:
        raise PatternError(f"{source!r} does not call a dotted name")
    return _call(node, canonical_of(parts), signature, source)


def _call(
    node: ast.Call, name: str, signature: Signature | None, source: str
) -> CallPattern:
    rest = keyword_rest = None
    written: list[tuple[str | None, ast.expr]] = []
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            rest = _hole_name(arg.value, source)
        else:
            written.append((None, arg))
    for keyword in node.keywords:
        if keyword.arg is None:
            keyword_rest = _hole_name(keyword.value, source)
        else:
            written.append((keyword.arg, keyword.value))
    known = signature is not None
    if signature is None:
        own: list[Parameter] = []
        for key, value in written:
            own_name = key or (value.id if isinstance(value, ast.Name) else f"_{len(own)}")
            own.append(Parameter(own_name, "positional", "None" if key else None))
        if rest is not None:
            own.append(Parameter(rest, "*", None))
        if keyword_rest is not None:
            own.append(Parameter(keyword_rest, "**", None))
        signature = tuple(own)
    positional = [p for p in signature if p.kind == "positional"]
    names = {p.name for p in signature if p.kind in ("positional", "keyword")}
    holes: dict[str, str] = {}
    literals: dict[str, str] = {}
    required: set[str] = set()
    extra: list[Parameter] = []
    for position, (key, value) in enumerate(written):
        if key is None:
            if position >= len(positional):
                raise PatternError(f"{source!r} has more positional arguments than {name} takes")
            parameter = positional[position].name
        else:
            parameter = key
            if known and key not in names:
                # TF decorates some signatures away (deprecated arguments): believe the rule
                extra.append(Parameter(key, "keyword", None))
        if isinstance(value, ast.Name) and value.id not in ("True", "False", "None"):
            holes[parameter] = value.id
        else:
            literals[parameter] = ast.dump(value)
    for item in positional:
        if item.default is None and item.name in holes:
            required.add(item.name)
    return CallPattern(
        name,
        (*signature, *extra),
        holes,
        literals,
        frozenset(required),
        rest,
        keyword_rest,
    )


def _hole_name(node: ast.expr, source: str) -> str:
    if not isinstance(node, ast.Name):
        raise PatternError(f"{source!r}: a starred hole must be a plain name")
    return node.id
