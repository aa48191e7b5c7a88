"""The section that says whether the migrated program computes the same."""

from __future__ import annotations

from typing import Any

from migrator.report import text
from migrator.report.model import Section, Statement, Table

KIND = {"equal": "good", "differs": "bad", "failed": "bad", "not run": "open"}


def _number(value: Any) -> str:
    return "–" if value is None else "0" if value == 0 else f"{value:.1e}"


def _short(detail: str, length: int = 400) -> str:
    """The beginning of a detail, in one line; the whole of it is in verify.json."""
    detail = "; ".join(line.strip() for line in detail.splitlines() if line.strip())
    return detail if len(detail) <= length else detail[:length] + "…"


def section(verify: dict[str, Any]) -> tuple[Section, tuple[Statement, ...], tuple[str, ...]]:
    """(section, findings for the top, caveats for the banner) of a verification result."""
    checks = verify["checks"]
    counts: dict[str, int] = {}
    for c in checks:
        counts[c["status"]] = counts.get(c["status"], 0) + 1
    bad = [c for c in checks if KIND.get(c["status"], "bad") == "bad"]
    skipped = [c for c in checks if KIND.get(c["status"]) == "open"]
    left_out = [c["name"] for c in skipped if c.get("workload") == "not compared"]
    reference = verify["reference"]
    if bad:
        lead = Statement(
            "bad", f"{text.plural(len(bad), 'check')} of {len(checks)} found a difference."
        )
    elif counts.get("equal"):
        lead = Statement(
            "good",
            f"The migrated program computes the same: {text.plural(counts['equal'], 'check')} equal "
            f"to {reference}" + (f", {len(skipped)} not run." if skipped else "."),
        )
    else:
        lead = Statement("open", "No comparison ran: nothing is known about equality.")
    said = [lead]
    if left_out:
        said.append(Statement(
            "open", "Not compared, because nothing says how they are run: " + ", ".join(left_out) + "."
        ))  # fmt: skip
    rows = tuple(
        (
            c["status"], c.get("workload", ""), c["name"], _number(c.get("difference")),
            _number(c.get("tolerance")), _short(c.get("detail", "")),
        )
        for c in checks
    )  # fmt: skip
    table = Table(
        f"Compared with {reference}",
        ("result", "workload", "check", "largest difference", "allowed", "detail"),
        rows, frozenset({3, 4}),
    )  # fmt: skip
    caveats = () if verify.get("real_tf1", True) else (
        f"“Before” ran on {reference}, not on a real TensorFlow 1.15: a difference between the two "
        "would not be seen here.",
    )  # fmt: skip
    return Section("equal", "Is it equal?", "", tuple(said), (table,)), (lead,), caveats
