"""Equality in the report: the answer at the top, and the table of every check."""

from __future__ import annotations

from typing import Any

from migrator.report import answers, equality
from migrator.report.model import Row, Table


def check(status: str, name: str = "x", workload: str = "w", detail: str = "") -> dict[str, object]:
    return {"workload": workload, "name": name, "status": status, "detail": detail}


def verified(*checks: dict[str, object]) -> dict[str, Any]:
    return {"checks": list(checks), "reference": "TensorFlow 1.15.5"}


def rows(table: Table) -> list[tuple[str, ...]]:
    return [row.cells for row in table.rows if isinstance(row, Row)]


def test_what_is_left_out_is_named_and_keeps_the_answer_open() -> None:
    verify = verified(
        check("equal"), check("not run", "programs", "not compared", "a\n  --run x\n"),
        check("not run", "Keras files", "not compared"), check("not run", "y", "other"),
    )  # fmt: skip
    answer = answers.equal(verify)
    assert (answer.verdict, answer.change) == ("unknown", "3 not run")
    assert answer.line == (
        "What ran is equal to TensorFlow 1.15.5; not run: programs, Keras files, other."
    )
    section, _ = equality.section(verify)
    assert [t.title for t in section.tables] == [
        "Not equal, or not run", "Equal to TensorFlow 1.15.5"
    ]
    assert rows(section.tables[0])[0][-1] == "a; --run x"


def test_a_difference_comes_first() -> None:
    verify = verified(check("equal"), check("differs", "loss"))
    assert answers.equal(verify).verdict == "no"
    assert answers.equal(verify).line.startswith("w, loss: differs")
    section, _ = equality.section(verify)
    assert [r[2] for r in rows(section.tables[0])] == ["loss"] and section.open
