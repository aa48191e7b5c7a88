"""The report as plain records: what every renderer (HTML, Markdown, JSON) shows, in its order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from migrator.report.charts import Chart
from migrator.report.text import slug

YES, NO, UNKNOWN = "yes", "no", "unknown"


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the four questions that a stranger asks, and what is known about it.

    verdict: "yes", "no" or "unknown"; "yes" only where something ran or was counted that shows it.
    before, after: the two numbers behind it, as text; change: what one is of the other.
    yes, no: what these verdicts are called under the label.
    """

    id: str
    label: str
    question: str
    verdict: str
    line: str
    before: str = ""
    after: str = ""
    change: str = ""
    link: str = ""
    more: str = ""
    yes: str = "Yes"
    no: str = "No"

    @property
    def word(self) -> str:
        return {YES: self.yes, NO: self.no}.get(self.verdict, "Not known")


@dataclass(frozen=True, slots=True)
class Statement:
    """One plain-language result. kind: "good", "bad", "neutral" or "open".

    about: the workload that it is about, "" for the whole.
    """

    kind: str
    text: str
    about: str = ""

    @property
    def id(self) -> str:
        """What a link to it says."""
        return slug(self.about, self.text)


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of a table row as text. kind: that of a statement, which gives it its mark."""

    cells: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text cells; `numeric` columns are set flush right. folded: closed until asked for."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row | tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    note: str = ""
    folded: bool = False

    @property
    def lines(self) -> tuple[Row, ...]:
        return tuple(r if isinstance(r, Row) else Row(r) for r in self.rows)

    @property
    def id(self) -> str:
        return slug("table", self.title)

    def told(self) -> Table:
        """The table without columns that say nothing in any row."""
        lines = self.lines
        kept = [
            i for i in range(len(self.columns)) if any(r.cells[i] not in ("", "–") for r in lines)
        ]  # fmt: skip
        return replace(
            self, columns=tuple(self.columns[i] for i in kept),
            rows=tuple(replace(r, cells=tuple(r.cells[i] for i in kept)) for r in lines),
            numeric=frozenset(new for new, old in enumerate(kept) if old in self.numeric),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the report. gist: what is read while it is folded. view: data of the memory view."""

    id: str
    title: str
    gist: str = ""
    lead: str = ""
    statements: tuple[Statement, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    orders: tuple[Any, ...] = ()
    view: dict[str, Any] | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Everything, in order: four answers, one picture, how far the numbers go, then all the rest.

    sources: the raw files behind it. review: the side-by-side page that lies beside the report.
    """

    title: str
    made: str
    answers: tuple[Answer, ...]
    sections: tuple[Section, ...]
    picture: Chart | None = None
    caveats: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    sources: tuple[str, ...] = ()
    raw: dict[str, Any] = field(default_factory=dict)
    review: str = ""
