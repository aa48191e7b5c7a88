"""Follows absolute dotted paths through TensorFlow, Keras, the support package and the project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from migrator.analysis.api import Api, Signature
from migrator.analysis.index import ModuleInfo, ProjectIndex
from migrator.check.modules import Modules
from migrator.check.records import Bound, Class, Params, Unit

_DEEPEST = 12  # imports of imports that are followed
_ANCESTORS = 40
_MOST_KNOWN = 20_000  # answers about paths, and a hundredth of that about classes, that are kept
SUPPORT = "tf1_support"


@dataclass(slots=True)
class Place:
    """Where a path leads.

    `found`: True, False (it leads nowhere: `missing` is what is not there), or None where nobody can
    tell. `params` is what a call of it takes, None where unknown. `name` is its canonical name.
    """

    found: bool | None
    name: str = ""
    missing: str = ""
    params: Params | None = None


UNKNOWN = Place(None)
#: Of these nothing but modules can be imported.
_PACKAGES = frozenset(
    "tensorflow.python" + (f".{name}" if name else "") for name in (
        "", "estimator", "ops", "framework", "training", "client", "util", "platform", "layers",
        "summary", "saved_model", "lib", "eager", "tools")
)  # fmt: skip


def params_of(signature: Signature | None) -> Params | None:
    """A snapshot's signature; None where it says nothing."""
    if signature is None:
        return None
    kinds = [parameter.kind for parameter in signature]
    if kinds == ["*", "**"]:
        return None  # a decorator hides it
    positional = [p for p in signature if p.kind == "positional"]
    only = [p for p in signature if p.kind == "keyword"]
    return Params(
        tuple(p.name for p in positional),
        sum(p.default is not None for p in positional),
        tuple(p.name for p in only),
        tuple(p.name for p in only if p.default is None),
        "*" in kinds,
        "**" in kinds,
    )


class Snapshot:
    """One TensorFlow, from its API snapshot."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self._places: dict[str, Place] = {}

    @cached_property
    def methods(self) -> frozenset[str]:
        """The names that members of its classes have."""
        classes = {name for name in self.api.symbols if self.api.kind(name) == "class"}
        return frozenset(
            last for head, _, last in (name.rpartition(".") for name in self.api.symbols)
            if head in classes
        )

    def place(self, path: str) -> Place:
        """Where a path of TensorFlow leads."""
        known = self._places.get(path)
        if known is None:
            known = self._places[path] = self._find(path)
        return known

    def _find(self, path: str) -> Place:
        api = self.api
        if path.startswith("tensorflow.compat.v2"):
            path = "tensorflow" + path[len("tensorflow.compat.v2") :]
        parts = path.split(".")
        for length in range(1, len(parts) + 1):
            name = ".".join(parts[:length])
            called = name.endswith("()")
            bare = name[:-2] if called else name
            if "()" in bare:
                return UNKNOWN
            kind = api.kind(bare)
            listed = api.aliases.get(bare)
            if not kind and listed is not None:
                kind = api.kind(listed)
            if not kind:
                return self._absent(parts, length, bare)
            if kind == "module" or length == len(parts) and not called:
                continue
            if kind == "class":
                return self._member(path, parts, length, bare, called)
            return Place(True, bare) if length < len(parts) or called else UNKNOWN
        signature = api.signature(listed or path)
        return Place(True, path, params=params_of(signature))

    def _absent(self, parts: list[str], length: int, bare: str) -> Place:
        if parts[1:2] and parts[1] in ("core", "compiler", "lite", "tools", "security", "dtensor"):
            return UNKNOWN
        if parts[1:2] == ["python"]:
            above = ".".join(parts[: length - 1])
            # What is in a private module is not all listed; which modules there are is.
            if not self.api.private or bare in self.api.private or above not in _PACKAGES:
                return UNKNOWN
        if parts[length - 1].startswith("__"):
            return UNKNOWN
        return Place(False, bare, bare)

    def _member(
        self, path: str, parts: list[str], length: int, bare: str, called: bool
    ) -> Place:
        """A member of a class, as far as the snapshot lists those; calls of the class are objects
        of it."""
        if called and length == len(parts):
            return Place(True, bare)
        member = f"{bare}.{parts[length]}".removesuffix("()")
        if self.api.kind(member) and length + 1 == len(parts) and not path.endswith("()"):
            return Place(True, member, params=params_of(self.api.signature(member)))
        return UNKNOWN


def in_keras(path: str, names: frozenset[str]) -> Place:
    """Where a path of Keras 3, of which these are the names, leads."""
    parts = path.split(".")
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        if "(" in name:
            return UNKNOWN
        if name not in names:
            above = ".".join(parts[: length - 1])
            is_module = any(known.startswith(f"{above}.") for known in names)
            if above and not is_module or parts[1:2] == ["src"] or parts[-1].startswith("__"):
                return UNKNOWN
            return Place(False, name, name)
    return Place(True, path)


class Places:
    """Everything that the paths of a planned project may lead to.

    `units` are the project's modules by path, `support` those of the support package by name (None where
    nobody asks about it), `keras` the names of Keras 3.
    """

    def __init__(
        self,
        index: ProjectIndex,
        units: Modules,
        support: Mapping[str, Unit] | None,
        tensorflow: Snapshot,
        keras: frozenset[str],
    ) -> None:
        self.index = index
        self.units = units
        self.support = support
        self.tensorflow = tensorflow
        self.keras = keras
        self._known: dict[tuple[str, str], Place] = {}
        self._ancestries: dict[tuple[str, str], tuple[list[tuple[Unit, Class]], bool]] = {}

    def place(self, path: str, importer: str, depth: int = 0) -> Place:
        """Where `path` leads when the file `importer` says it."""
        top = path.partition(".")[0].partition("(")[0]
        if top == "tensorflow":
            return self.tensorflow.place(path)
        folder = importer.rpartition("/")[0]
        key = (path, folder)
        if depth == 0 and len(self._known) > _MOST_KNOWN:
            self._known.clear()
        known = self._known.get(key)
        if known is None:
            self._known[key] = UNKNOWN  # modules that import each other
            known = self._known[key] = self._find(path, top, importer, depth)
        return known

    def _find(self, path: str, top: str, importer: str, depth: int) -> Place:
        if depth > _DEEPEST:
            return UNKNOWN
        if top == SUPPORT:
            return self._in_support(path, depth)
        if top == "keras" and self.index.find("keras", importer) is None:
            return in_keras(path, self.keras)
        bare = path.partition("(")[0]
        hit = self.index.resolve(bare, importer)
        if hit is None:
            return UNKNOWN
        info, after = hit
        rest = path[len(bare) - len(after) :]
        unit = self.units.get(info.path)
        if unit is None or self._ambiguous(info):
            return UNKNOWN
        return self._in_unit(unit, rest.split(".") if rest else [], info.name, depth)

    def _ambiguous(self, info: ModuleInfo) -> bool:
        return len(self.index.all_called(info.name)) > 1

    def _in_support(self, path: str, depth: int) -> Place:
        package = self.support
        if package is None:
            return UNKNOWN
        parts = path.split(".")[1:]
        if not parts:
            return Place(True, path)
        name = parts[0].partition("(")[0]
        unit = package.get(name)
        if unit is None:
            top = package.get("__init__")
            if top is not None and name in top.binds:
                return self._in_unit(top, parts, SUPPORT, depth)
            return Place(False, f"{SUPPORT}.{name}", f"{SUPPORT}.{name}")
        return self._in_unit(unit, parts[1:], f"{SUPPORT}.{name}", depth)

    def _in_unit(self, unit: Unit, parts: list[str], module: str, depth: int) -> Place:
        """A name of a module, and what follows it."""
        if not parts:
            return Place(True, module)
        name = parts[0].partition("(")[0]
        called = name != parts[0]
        bound = unit.binds.get(name)
        whole = f"{module}.{name}"
        if bound is None:
            return self._otherwise(unit, parts, module, name, depth)
        if bound.kind == "import":
            rest = ".".join([parts[0][len(name) :], *parts[1:]]) if called else ".".join(["", *parts[1:]])
            return self.place(bound.target + rest.rstrip("."), unit.path, depth + 1)
        if bound.kind == "function":
            if len(parts) > 1 or called:
                return UNKNOWN
            return Place(True, whole, params=bound.params)
        if bound.kind == "class":
            return self._in_class(unit, name, parts, called, whole, depth)
        return Place(True, whole) if len(parts) == 1 and not called else UNKNOWN

    def _in_class(
        self, unit: Unit, name: str, parts: list[str], called: bool, whole: str, depth: int
    ) -> Place:
        if parts[0].endswith("()()"):
            return UNKNOWN
        if len(parts) == 1:
            return Place(True, whole, params=None if called else self.constructor(unit, name))
        member = parts[1].partition("(")[0]
        found, bound = self.member(unit, name, member)
        if bound is None:
            if self.lacks(unit, name, member):
                return Place(False, f"{whole}.{member}", f"{whole}.{member}")
            return Place(True, f"{whole}.{member}") if found else UNKNOWN
        if len(parts) > 2 or member != parts[1]:
            return UNKNOWN
        params = bound.params if bound.kind == "function" and called else None
        return Place(True, f"{whole}.{member}", params=params)

    def lacks(self, unit: Unit, name: str, member: str) -> bool:
        """Whether surely nothing gives a class or its objects a member."""
        # A class of the project may be there to be inherited together with others.
        elsewhere = self._assigned if unit.path.startswith(f"<{SUPPORT}>") else self._stored
        if member.startswith("__") or member in elsewhere or "*" in elsewhere:
            return False
        known, complete = self.ancestry(unit, name)
        return complete and not any(
            member in made.members or member in made.sets or "__getattr__" in made.members
            or "__getattribute__" in made.members or "__slots__" in made.members
            or "__new__" in made.members or "*" in made.sets
            for _, made in known
        )

    @cached_property
    def _assigned(self) -> frozenset[str]:
        """The attributes that any module assigns to an object."""
        return frozenset(self.units.assigned())

    @cached_property
    def _stored(self) -> frozenset[str]:
        """The attributes that any module sets on anything."""
        return frozenset(self.units.stored())

    def _otherwise(
        self, unit: Unit, parts: list[str], module: str, name: str, depth: int
    ) -> Place:
        """A name that a module does not bind itself: a submodule, or from a star import."""
        if module.partition(".")[0] != SUPPORT:
            if self.index.find(f"{module}.{name}", unit.path) is not None:
                return UNKNOWN
            if name in ("__name__", "__file__", "__doc__", "__path__", "__dict__"):
                return UNKNOWN
        if unit.open:
            return UNKNOWN
        unsure = False
        for star in unit.stars:
            place = self.place(f"{star}.{'.'.join(parts)}", unit.path, depth + 1)
            if place.found:
                return place
            if place.found is None:
                unsure = True
        if unsure:
            return UNKNOWN
        return Place(False, f"{module}.{name}", f"{module}.{name}")

    # -- classes

    def ancestry(self, unit: Unit, name: str) -> tuple[list[tuple[Unit, Class]], bool]:
        """(a class and all its bases that are known, whether those are all)."""
        key = (unit.path, name)
        known = self._ancestries.get(key)
        if known is None:
            if len(self._ancestries) > _MOST_KNOWN // 100:
                self._ancestries.clear()  # they hold whole modules
            known = self._ancestries[key] = self._ancestry(unit, name)
        return known

    def _ancestry(self, unit: Unit, name: str) -> tuple[list[tuple[Unit, Class]], bool]:
        found: list[tuple[Unit, Class]] = []
        complete = True
        pending = [(unit, name)]
        while pending and len(found) < _ANCESTORS:
            home, current = pending.pop(0)
            made = home.classes.get(current)
            if made is None:
                complete = False
                continue
            if any(made is known for _, known in found):
                continue
            found.append((home, made))
            for base in made.bases:
                if base == "builtins.object":
                    continue
                place = self.class_at(base, home)
                if place is None:
                    complete = False
                else:
                    pending.append(place)
        return found, complete

    def class_at(self, path: str, home: Unit, depth: int = 0) -> tuple[Unit, str] | None:
        """The project's (or support package's) class that a path leads to."""
        if not path or depth > _DEEPEST or path.startswith(("tensorflow.", "builtins.")):
            return None
        top = path.partition(".")[0]
        if top == SUPPORT:
            parts = path.split(".")
            unit = self.support.get(parts[1]) if self.support and len(parts) == 3 else None
            rest = parts[2:]
        else:
            hit = self.index.resolve(path, home.path)
            if hit is None:
                return None
            unit = self.units.get(hit[0].path)
            rest = hit[1].split(".") if hit[1] else []
        if unit is None or not rest:
            return None
        bound: Bound | None = unit.binds.get(rest[0])
        if bound is None:
            for star in unit.stars:
                found = self.class_at(f"{star}.{'.'.join(rest)}", unit, depth + 1)
                if found is not None:
                    return found
            return None
        if bound.kind == "import":
            return self.class_at(".".join([bound.target, *rest[1:]]), unit, depth + 1)
        name = ".".join(rest)
        return (unit, name) if name in unit.classes else None

    def targets(self, path: str, home: Unit) -> list[tuple[Unit, str]]:
        """The functions and classes of the project that calling `path` in a module may run."""
        bare, called, rest = path.partition("()")
        made = self.class_at(bare, home)
        if made is not None:
            if not called:
                return [made]
            name = rest.removeprefix(".").partition(".")[0].partition("(")[0]
            known, _ = self.ancestry(*made)
            return [
                (unit, f"{owner}.{name}")
                for unit, found in known for owner, each in unit.classes.items()
                if each is found and name in found.members
            ][:1]
        place = self.place(bare, home.path)
        if not place.found:
            return []
        hit = self.index.resolve(place.name, home.path)
        unit = self.units.get(hit[0].path) if hit is not None else None
        if hit is None or unit is None:
            return []
        bound = unit.binds.get(hit[1])
        return [(unit, hit[1])] if bound is not None and bound.kind == "function" else []

    def member(self, unit: Unit, name: str, member: str) -> tuple[bool, Bound | None]:
        """(whether a class has a member, what its body binds to it)."""
        known, _ = self.ancestry(unit, name)
        for _, made in known:
            if member in made.members:
                return True, made.members[member]
            if member in made.sets:
                return True, None
        return False, None

    def constructor(self, unit: Unit, name: str) -> Params | None:
        """What making an object of a class takes; None where a base may know better."""
        known, complete = self.ancestry(unit, name)
        for home, made in known:
            if "__new__" in made.members or "__call__" in made.members and "" in made.bases:
                return None
            if "__init__" in made.members:
                if "" in made.bases and home.path == unit.path:
                    return None
                return made.members["__init__"].params
            if not complete:
                return None
        return Params() if complete and known and not any(made.bases for _, made in known) else None


__all__ = ["Place", "Places", "Snapshot", "params_of"]
