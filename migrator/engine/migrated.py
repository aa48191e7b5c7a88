"""What the second look at a file hands back: the plan for it, and what the check must know of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from migrator.analysis.parsed import Parsed
from migrator.check.records import Unit
from migrator.engine.suppress import Suppressions
from migrator.model import Change, FileResult


@dataclass(frozen=True, slots=True)
class Edited:
    """What one transform did to a file: the changes that it told of."""

    transform: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Migrated:
    """One file after the second look.

    `old` and `new` are its units before and after (the same one where nothing changed, None where
    nobody need look), `edits` what each transform changed.
    """

    result: FileResult
    old: Unit | None = None
    new: Unit | None = None
    edits: tuple[Edited, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What a file is migrated without, because its edits failed the check.

    `transforms` by name, `symbols` of the support package in whose place tf.compat.v1 stays, and
    `codes` that are off on a line of the file.
    """

    transforms: frozenset[str] = frozenset()
    symbols: frozenset[str] = frozenset()
    codes: frozenset[tuple[int, str]] = frozenset()

    def on(self, suppressions: Suppressions) -> Suppressions:
        """The user's suppressions, and those of `codes`."""
        if not self.codes:
            return suppressions
        lines = dict(suppressions.lines)
        for line, code in self.codes:
            known = lines.get(line)
            if known is None or known:  # none at all means all of them
                lines[line] = (known or frozenset()) | {code}
        return Suppressions(lines, suppressions.whole_file)


NOTHING_HELD = Held()


@dataclass(slots=True)
class Attempt:
    """One way of a file through the engine: what is `held` on it, whether it is `nameless`
    (`engine.nameless`), and what it leaves for the check (the text as parsed before and after, what each
    transform changed)."""

    held: Held = NOTHING_HELD
    nameless: bool = False
    plain: dict[str, str] = field(default_factory=dict)
    before: Parsed | None = None
    after: Parsed | None = None
    edits: list[Edited] = field(default_factory=list)


__all__ = ["NOTHING_HELD", "Attempt", "Edited", "Held", "Migrated"]
