"""The check on texts of the tests' own: what is wrong with `after`, which was made from `before`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from migrator import support
from migrator.analysis.index import ProjectIndex, summaries_from_texts
from migrator.analysis.parsed import Parsed
from migrator.check import files
from migrator.check.modules import Modules
from migrator.check.package import package
from migrator.check.places import Places, Snapshot
from migrator.check.reach import Graphs
from migrator.check.records import Fault, Kind, Unit
from migrator.check.verdict import Project
from migrator.engine import standalone_keras
from migrator.engine.options import Options
from migrator.engine.ruleset import load_ruleset
from migrator.engine.support_use import used_support


@cache
def snapshots() -> tuple[Snapshot, Snapshot]:
    """TensorFlow 1.15 and 2.21."""
    rules = load_ruleset(Options())
    return Snapshot(rules.tf1), Snapshot(rules.tf2)


class Tree:
    """A project of texts by path, before and after; what is not in `after` did not change."""

    def __init__(
        self, before: Mapping[str, str], after: Mapping[str, str] | None = None,
        rendered: frozenset[str] | None = None,
    ) -> None:  # fmt: skip
        after = after or {}
        tf1, tf2 = snapshots()
        self.index = ProjectIndex.assemble(summaries_from_texts(before))
        own = self.index.tops | {"tensorflow", "keras", "tf1_support"}
        world = files.World(tf1, tf2, frozenset(standalone_keras.known()), own)
        old: dict[str, Unit] = {}
        new: dict[str, Unit] = {}
        used: set[str] = set()
        for path, text in before.items():
            changed = after.get(path, text) != text
            parsed = Parsed(after[path]) if changed else None
            info = self.index.module_at(path)
            old[path], new[path] = files.units(path, Parsed(text), parsed, info, world)
            used |= used_support(after.get(path, text))
        known = frozenset(filter(support.has, used if rendered is None else rendered))
        self.new = Modules.of(new)
        self.before = Places(self.index, Modules.of(old), None, tf1, world.keras)
        self.after = Places(self.index, self.new, package(support.render(known)), tf2, world.keras)
        self.project = Project(self.before.units, self.new, self.before, self.after)

    def faults(self) -> list[Fault]:
        return list(self.project.faults())

    def graphs(self) -> Graphs:
        return Graphs(self.new, self.after.targets, self.index.importers)


Texts = str | Mapping[str, str]


def found(before: Texts, after: Texts | None = None) -> list[tuple[Kind, str]]:
    """(kind, name) of what is wrong; single texts are ``a.py``."""
    texts = {"a.py": before} if isinstance(before, str) else before
    made = {"a.py": after} if isinstance(after, str) else after
    return [(fault.kind, fault.name) for fault in Tree(texts, made).faults()]
