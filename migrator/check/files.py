"""One file's part of the check, done where it is migrated: its units, and what it shows alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from migrator.analysis.index import ModuleInfo
from migrator.analysis.parsed import Parsed
from migrator.check import pairs
from migrator.check.places import UNKNOWN, Place, Snapshot, in_keras
from migrator.check.reach import reach_of
from migrator.check.records import Flaw, Params, Shape, Unit, Use
from migrator.check.units import Reader, shape_of
from migrator.check.uses import judged


@dataclass(frozen=True)
class World:
    """What all files of a project share: the two TensorFlows, Keras 3, and the first parts of the
    names of the project's own modules."""

    tf1: Snapshot
    tf2: Snapshot
    keras: frozenset[str]
    own: frozenset[str]

    def wanted(self, path: str) -> bool:
        """Whether a path leads to something of which anything is known."""
        return path.partition(".")[0].partition("(")[0] in self.own

    def outside(self, use: Use) -> Place:
        """Where a path leads that needs nobody else's file."""
        top = use.path.partition(".")[0].partition("(")[0]
        if top == "tensorflow":
            return self.tf2.place(use.path)
        return in_keras(use.path, self.keras) if top == "keras" else UNKNOWN

    def before(self, path: str) -> Params | None:
        """What a function of TensorFlow took in TF 1."""
        path = path.replace("tensorflow.compat.v1.", "tensorflow.", 1)
        return self.tf1.place(path).params if path.startswith("tensorflow.") else None

    def own_calls(self, path: str) -> bool:
        """Whether a path leads to something of the project's own."""
        top = path.partition(".")[0].partition("(")[0]
        return top in self.own and top not in _FOREIGN


def units(
    path: str, before: Parsed, after: Parsed | None, info: ModuleInfo | None, world: World
) -> tuple[Unit, Unit]:
    """The units of a file before and after its edits, the same one where there are none (`after` is
    None); flaws are those of the text that will be there."""
    name, is_package = (info.name, info.is_package) if info is not None else ("", False)
    new = Reader(path, after or before, name, is_package, world.wanted)
    unit = new.unit()
    unit.reach = reach_of(new, unit.uses)
    own = {p for p in new.assigned if world.tf2.place(p.rpartition(".")[0]).found}
    foreign = [
        use for use in unit.uses if use.path.startswith(("tensorflow", "keras."))
        and not any(use.path == p or use.path.startswith(f"{p}.") for p in own)
    ]  # fmt: skip
    unit.uses = tuple(use for use in unit.uses if not use.path.startswith(("tensorflow", "keras.")))
    if after is None:
        unit.flaws = tuple(_outside(foreign, world, new))
        unit.free = {}
        return unit, unit
    old = Reader(path, before, name, is_package, world.own_calls, calls_only=True)
    unit.free = {name: line for name, line in unit.free.items() if name not in old.free}
    unit.flaws = (*_outside(foreign, world, old), *pairs.flaws(old, new))
    if any(use.path.startswith("tf1_support.") and use.shape is not None for use in unit.uses):
        unit.refused = frozenset(_refused(old, world))
    return old.unit(), unit


def _refused(old: Reader, world: World) -> Iterator[tuple[str, object]]:
    """The calls of TensorFlow that TF 1 did not take either."""
    for reference in old.names.references:
        if reference.call is None:
            continue
        for path in old.paths.of(reference.root, reference.scope) or ():
            whole = ".".join((path, *reference.attrs))
            params = world.before(whole) if whole.startswith("tensorflow.") else None
            if params is not None and params.refuses(shape := shape_of(reference.call)):
                yield whole.rpartition(".")[2], shape.key()


def _outside(uses: Iterable[Use], world: World, old: Reader) -> Iterator[Flaw]:
    """What is wrong with names of TensorFlow and Keras, but for calls that TF 1 refused, too."""

    def so_it_was(use: Use, shape: Shape) -> bool:
        path = use.path.replace("tensorflow.compat.v1.", "tensorflow.", 1)
        params = world.before(path)
        return params is not None and bool(params.refuses(shape)) and (
            old.called(use.path, shape) or old.called(path, shape)
        )

    yield from judged(uses, world.outside, world.before, so_it_was)


_FOREIGN = frozenset(("tensorflow", "keras", "tf1_support"))

__all__ = ["World", "units"]
