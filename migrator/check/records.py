"""What the check keeps of a module, and what it finds: small, picklable, from the text alone."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class Kind(str, enum.Enum):
    """What is wrong, in the words of a compiler."""

    UNBOUND = "unbound"  # a name that nothing binds, or binds too late
    UNUSED = "unused"  # an import or argument that an edit left without use
    REFERENCE = "reference"  # a dotted name that leads nowhere
    CALL = "call"  # arguments that the function does not take
    MEANING = "meaning"  # a function that means another thing by the same arguments
    ATTRIBUTE = "attribute"  # an attribute that nothing sets any more
    DELETED = "deleted"  # what had an effect and is gone
    GUARD = "guard"  # a try that no longer fails where it must
    CLAIM = "claim"  # a promise that nothing shows to hold


@dataclass(slots=True)
class Shape:
    """The arguments of a call: how many by position, which by name, whether ``*`` or ``**``."""

    positional: int
    keywords: tuple[str, ...] = ()
    stars: bool = False

    def key(self) -> object:
        """It, hashable."""
        return self.positional, self.keywords, self.stars


@dataclass(slots=True)
class Params:
    """What a function takes. `names` are its positional parameters, the last `optional` of which
    have defaults; `only` its keyword-only ones, of which `needed` have none."""

    names: tuple[str, ...] = ()
    optional: int = 0
    only: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    more: bool = False  # *args
    any_keyword: bool = False  # **kwargs
    by_name: int = 0  # how many of `names` cannot be given by name

    def refuses(self, shape: Shape) -> str:
        """Why a call is not taken, in CPython's words, "" if it is (or if stars hide it)."""
        if shape.positional > len(self.names) and not self.more:
            return f"takes {len(self.names)} positional arguments but {shape.positional} are given"
        known = (*self.names[self.by_name :], *self.only)
        for name in shape.keywords:
            if name in self.names[: shape.positional]:
                return f"got multiple values for argument '{name}'"
            if name not in known and not self.any_keyword:
                return f"got an unexpected keyword argument '{name}'"
        if shape.stars:
            return ""
        wanted = self.names[shape.positional : len(self.names) - self.optional]
        for name in (*wanted, *self.needed):
            if name not in shape.keywords:
                return f"missing a required argument: '{name}'"
        return ""


class Role(str, enum.Enum):
    """How a dotted name is used."""

    READ = "read"
    CALLED = "called"
    IMPORTED = "imported"
    PARTIAL = "partial"  # called with more arguments later
    PASSED = "passed"  # a function that stands for a parameter or in a container; called as shown


@dataclass(slots=True)
class Use:
    """A dotted name that leads out of what the module itself defines.

    `path` is absolute, with "()" where a result is used, and begins with "*." where only a star
    import can bring it. `guard` numbers the ``try`` in which it may fail, negative in what runs when
    it failed, 0 outside of any. `owner` is the function that it stands in.
    """

    path: str
    line: int
    column: int
    role: Role = Role.READ
    shape: Shape | None = None
    guard: int = 0
    owner: str = ""


@dataclass(slots=True)
class Bound:
    """What a module (or class) binds a name to.

    `kind`: ``function``, ``class``, ``import`` (`target` is its path) or ``value``.
    `params` is None where nobody can tell what a call takes.
    """

    kind: str
    line: int
    target: str = ""
    params: Params | None = None


@dataclass(slots=True)
class Class:
    """A class: `bases` are paths ("" for what has none), `members` what its body binds, `sets` the
    attributes that its methods set on their object, `reads` those that they read, by line, `calls`
    those that they call."""

    line: int
    bases: tuple[str, ...] = ()
    members: Mapping[str, Bound] = field(default_factory=dict)
    sets: frozenset[str] = frozenset()
    reads: Mapping[str, int] = field(default_factory=dict)
    calls: tuple[tuple[str, int, Shape], ...] = ()


@dataclass(slots=True)
class Late:
    """A read of a name that nothing has bound there: on any path, or (not `sure`) on some."""

    name: str
    line: int
    sure: bool
    via: str = ""  # the function whose call reads it


@dataclass(slots=True)
class Flaw:
    """Something wrong that the two texts of one file show, at a line of the new one (or, where it
    is gone from there, of the `old`)."""

    kind: Kind
    line: int
    message: str
    name: str = ""
    old: bool = False


@dataclass(slots=True)
class Reach:
    """How graph mode gets to the functions of a module.

    `covered` are (first, last) lines inside of a graph that is entered there, `entered` functions
    and classes that enter one themselves, `all` whether the whole process builds graphs once this
    module is imported, `main` once it runs as a program. `calls` maps a method's name to
    (function that calls it, line), `spans` are (function, first line, last line), `needs` the lines
    that only work in a graph.
    """

    covered: tuple[tuple[int, int], ...] = ()
    entered: frozenset[str] = frozenset()
    all: bool = False
    main: bool = False
    calls: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    spans: tuple[tuple[str, int, int], ...] = ()
    needs: frozenset[int] = frozenset()


@dataclass(slots=True)
class Unit:
    """One module as others see it.

    `free` are names that nothing in the module binds, by line: those that edits left, where it was
    edited. `loaded` and `stored` are attributes of anything, read and assigned, `flaws` what its own texts
    show, `refused` the calls (last name, `Shape.key`) that TF 1 refused as well.
    """

    path: str
    name: str
    binds: Mapping[str, Bound] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    open: bool = False  # it may hold names that no text shows
    uses: tuple[Use, ...] = ()
    free: Mapping[str, int] = field(default_factory=dict)
    classes: Mapping[str, Class] = field(default_factory=dict)
    stored: frozenset[str] = frozenset()
    loaded: Mapping[str, int] = field(default_factory=dict)
    flaws: tuple[Flaw, ...] = ()
    refused: frozenset[tuple[str, object]] = frozenset()
    reach: Reach | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong at a line of the *planned* text of a file, or of the `old` one; `culprits` are
    files whose edits may be the cause, the likeliest first."""

    kind: Kind
    path: str
    line: int
    message: str
    name: str = ""
    old: bool = False
    culprits: tuple[str, ...] = ()
