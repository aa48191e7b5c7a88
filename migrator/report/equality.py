"""The section with every check of a verification, those that are not equal first."""

from __future__ import annotations

from typing import Any

from migrator.report.model import Row, Section, Table

KIND = {"equal": "good", "differs": "bad", "failed": "bad", "not run": "open"}


def _number(value: Any) -> str:
    return "–" if value is None else "0" if value == 0 else f"{value:.1e}"


def _short(detail: str, length: int = 400) -> str:
    """The beginning of a detail, in one line; the whole of it is in verify.json."""
    detail = "; ".join(line.strip() for line in detail.splitlines() if line.strip())
    return detail if len(detail) <= length else detail[:length] + "…"


def section(verify: dict[str, Any]) -> tuple[Section, tuple[str, ...]]:
    """(section, caveats) of a verification result."""
    checks, reference = verify["checks"], verify["reference"]

    def table(title: str, chosen: list[dict[str, Any]], folded: bool) -> Table:
        rows = tuple(
            Row((
                c["status"], c.get("workload", ""), c["name"], _number(c.get("difference")),
                _number(c.get("tolerance")), _short(c.get("detail", "")),
            ), kind=KIND.get(c["status"], "bad"))
            for c in chosen
        )  # fmt: skip
        columns = ("result", "workload", "check", "largest difference", "allowed", "detail")
        return Table(title, columns, rows, frozenset({3, 4}), "", folded)

    good = [c for c in checks if c["status"] == "equal"]
    rest = [c for c in checks if c["status"] != "equal"]
    tables = [table("Not equal, or not run", rest, False)] if rest else []
    tables += [table(f"Equal to {reference}", good, bool(rest))] if good else []
    caveats = () if verify.get("real_tf1", True) else (
        f"“Before” ran on {reference}, not on a real TensorFlow 1.15: a difference between the two "
        "would not be seen here.",
    )  # fmt: skip
    gist = f"{len(good)} of {len(checks)} equal to {reference}"
    made = Section("checks", "Every check", gist, tables=tuple(tables), open=bool(rest))
    return made, caveats
