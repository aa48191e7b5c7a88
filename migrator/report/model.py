"""The report as plain records: what every renderer (HTML, Markdown, JSON) shows, in its order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from migrator.report.charts import Chart


@dataclass(frozen=True, slots=True)
class Statement:
    """One plain-language result. kind: "good", "bad", "neutral" or "open".

    about: the workload with whose name it begins; "" where it is about the whole.
    """

    kind: str
    text: str
    about: str = ""

    @property
    def below(self) -> str:
        """The text under a heading that says what it is about."""
        rest = self.text.removeprefix(self.about).lstrip(",: ")
        return rest[:1].upper() + rest[1:] if self.about else self.text


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text cells; `numeric` columns are set flush right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    note: str = ""

    def told(self) -> Table:
        """The table without columns that say nothing in any row."""
        kept = [
            i for i in range(len(self.columns)) if any(row[i] not in ("", "–") for row in self.rows)
        ]  # fmt: skip
        return replace(
            self, columns=tuple(self.columns[i] for i in kept),
            rows=tuple(tuple(row[i] for i in kept) for row in self.rows),
            numeric=frozenset(new for new, old in enumerate(kept) if old in self.numeric),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk of a file's diff: its header, the reasons for it, and its lines (' ', '-', '+')."""

    header: str
    reasons: tuple[tuple[str, str], ...]
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A changed file. `omitted` says how many hunks were left out to keep the page small."""

    path: str
    added: int
    removed: int
    codes: tuple[str, ...]
    hunks: tuple[Hunk, ...]
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class Remaining:
    """One thing that a person must still do or see."""

    code: str
    place: str
    message: str
    advice: str
    rung: str


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the report."""

    id: str
    title: str
    lead: str = ""
    statements: tuple[Statement, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    diffs: tuple[FileDiff, ...] = ()
    remaining: tuple[Remaining, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """Everything: `caveats` go into the banner on top, `sources` name the raw files behind it."""

    title: str
    made: str
    findings: tuple[Statement, ...]
    caveats: tuple[str, ...]
    sections: tuple[Section, ...]
    environment: tuple[tuple[str, str], ...] = ()
    sources: tuple[str, ...] = ()
    raw: dict[str, Any] = field(default_factory=dict)
    review: str = ""  # the side-by-side page that lies beside the report

    @property
    def topics(self) -> list[tuple[str, list[Statement]]]:
        """The findings by what they are about, the whole ("") first."""
        found: dict[str, list[Statement]] = {"": []}
        for statement in self.findings:
            found.setdefault(statement.about, []).append(statement)
        return [(about, said) for about, said in found.items() if said]
