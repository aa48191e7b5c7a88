"""What is wrong in a planned project, from the units of its modules before and after."""

from __future__ import annotations

from collections.abc import Iterator

from migrator.check.modules import Modules
from migrator.check.pairs import ACTING as _ACTING
from migrator.check.places import Place, Places
from migrator.check.records import Fault, Kind, Shape, Unit, Use
from migrator.check.uses import judged

#: Attributes of TF 1's own objects: nobody knows whose a read of these is.
_PROPERTIES = frozenset(
    ("graph", "graph_def", "sess_str", "session", "op", "name", "shape", "dtype", "device", "type",
     "values", "indices", "dense_shape", "initializer", "initial_value", "saver_def")
)  # fmt: skip
_FOREIGN = ("tensorflow", "keras", "tf1_support")  # what the project does not define itself


class Project:
    """A project before and after: `old` and `new` are the units of its modules by path."""

    def __init__(self, old: Modules, new: Modules, before: Places, after: Places) -> None:
        self.old = old
        self.new = new
        self.before = before
        self.after = after
        self._own: set[str] | None = None

    def of_file(self, path: str) -> Iterator[Fault]:
        """What is wrong in one file, as the others are."""
        unit = self.new.get(path)
        if unit is not None:
            yield from self._names(unit)
            yield from self._uses(unit)
            yield from self._own_attributes(unit)

    def faults(self) -> Iterator[Fault]:
        """All that is wrong, file by file."""
        for path in self.new:
            yield from self.of_file(path)
        yield from self.attributes()

    # -- names

    def _names(self, unit: Unit) -> Iterator[Fault]:
        for name, line in unit.free.items():
            if not unit.open and not self._from_star(unit, name):
                yield Fault(Kind.UNBOUND, unit.path, line, f"{name} is read, and nothing binds it", name)
        for flaw in unit.flaws:
            if flaw.name.endswith("()") and not self._is_own(flaw.name[:-2], unit):
                continue
            yield Fault(flaw.kind, unit.path, flaw.line, flaw.message, flaw.name, flaw.old)

    def _is_own(self, name: str, unit: Unit) -> bool:
        """Whether the project has a function, class or method of that name, and TF 1 no method."""
        if name.rpartition(".")[2] in _ACTING:
            return True
        if "." in name:
            hit = self.before.index.resolve(name.partition("(")[0], unit.path)
            if hit is None:
                return False
            name = name.rpartition(".")[2]
        if self._own is None:
            self._own = self.new.makes()
        return name in self._own and name not in self.before.tensorflow.methods

    def _from_star(self, unit: Unit, name: str) -> bool:
        """Whether a star import may bring a name."""
        return any(
            self.after.place(f"{star}.{name}", unit.path).found is not False for star in unit.stars
        )

    # -- references and calls

    def _uses(self, unit: Unit) -> Iterator[Fault]:
        old = self.old.get(unit.path)

        def so_it_was(use: Use, shape: Shape) -> bool:
            if use.path.startswith("tf1_support."):
                return (use.path.rpartition(".")[2], shape.key()) in unit.refused
            params = self.before.place(use.path, unit.path).params
            return params is not None and bool(params.refuses(shape)) and old is not None and any(
                other.path == use.path and other.shape == shape for other in old.uses
            )

        flaws = judged(unit.uses, lambda use: self._place(unit, use.path), lambda path: None, so_it_was)
        for flaw in flaws:
            if flaw.kind is Kind.REFERENCE and not flaw.name.startswith(("tf1_support", "*")):
                if self.before.place(flaw.name, unit.path).found is not True:
                    continue  # so it was before
            yield Fault(
                flaw.kind, unit.path, flaw.line, flaw.message, flaw.name,
                culprits=self._homes(flaw.name, unit.path),
            )  # fmt: skip

    def _homes(self, path: str, importer: str) -> tuple[str, ...]:
        """The edited module of the project that a path leads to."""
        hit = self.after.index.resolve(path.partition("(")[0], importer)
        if hit is None or self.old.brief(hit[0].path) is self.new.brief(hit[0].path):
            return ()
        return (hit[0].path,)

    def _place(self, unit: Unit, path: str) -> Place:
        if not path.startswith("*."):
            return self.after.place(path, unit.path)
        places = [self.after.place(f"{star}{path[1:]}", unit.path) for star in unit.stars]
        for found in (True, None):
            for place in places:
                if place.found is found:
                    return place
        for star, place in zip(unit.stars, places, strict=True):
            if place.missing != f"{star}.{path.split('.')[1]}":
                return place  # the name is there, what follows it is not
        return Place(None)

    # -- attributes

    def _own_attributes(self, unit: Unit) -> Iterator[Fault]:
        for name, made in unit.classes.items():
            own = made.members.keys() | made.sets
            for attribute in made.reads.keys() - own:
                yield from self._attribute(unit, name, attribute, made.reads[attribute])
            for method, line, shape in made.calls:
                _, bound = self.after.member(unit, name, method)
                if bound is None or bound.params is None:
                    continue
                why = bound.params.refuses(shape)
                if why and not self._was(unit, name, method, shape):
                    yield Fault(Kind.CALL, unit.path, line, f"self.{method}() {why}", method)

    def _attribute(self, unit: Unit, name: str, attribute: str, line: int) -> Iterator[Fault]:
        """An attribute of its own object that a method of a class reads, if nothing sets it."""
        if not self.after.lacks(unit, name, attribute):
            return
        old = self.old.get(unit.path)
        if old is None or name in old.classes and self.before.lacks(old, name, attribute):
            return
        yield Fault(
            Kind.ATTRIBUTE, unit.path, line,
            f"self.{attribute} of {name} is read, and nothing sets it", attribute,
            culprits=tuple(dict.fromkeys(
                home.path for home, _ in self.after.ancestry(unit, name)[0]
                if self._lost(home.path, attribute)
            )),
        )  # fmt: skip

    def _was(self, unit: Unit, name: str, method: str, shape: Shape) -> bool:
        """Whether the program's own method refused such a call before."""
        old = self.old.get(unit.path)
        if old is None or name not in old.classes:
            return False
        if not any(m == method and s == shape for m, _, s in old.classes[name].calls):
            return False
        _, bound = self.before.member(old, name, method)
        return bound is not None and bound.params is not None and bool(bound.params.refuses(shape))

    def attributes(self) -> Iterator[Fault]:
        """Attributes that something set before, nothing sets now, and something still reads."""
        before, now = self.old.stored(), self.new.stored()
        lost = before - now - _PROPERTIES
        if not lost or "*" in now:
            return
        for path in self.new.loading(lost):
            unit = self.new[path]
            for attribute in sorted(lost.intersection(unit.loaded)):
                yield Fault(
                    Kind.ATTRIBUTE, path, unit.loaded[attribute],
                    f".{attribute} is read, and nothing sets it any more", attribute,
                    culprits=tuple(p for p in self.new if self._lost(p, attribute)),
                )  # fmt: skip

    def _lost(self, path: str, attribute: str) -> bool:
        """Whether a file set an attribute before, and does not now."""
        old, new = self.old.brief(path), self.new.brief(path)
        return (
            old is not None and new is not None
            and attribute in old.stored and attribute not in new.stored
        )
