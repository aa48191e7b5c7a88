"""The section on equality: what a verification's checks say in it."""

from __future__ import annotations

from migrator.report import equality


def check(status: str, name: str = "x", workload: str = "w", detail: str = "") -> dict[str, object]:
    return {"workload": workload, "name": name, "status": status, "detail": detail}


def test_what_is_left_out_is_said_beside_what_is_equal() -> None:
    checks = [check("equal"), check("not run", "programs", "not compared", "a\n  --run x\n"),
              check("not run", "Keras files", "not compared")]  # fmt: skip
    section, lead, _ = equality.section({"checks": checks, "reference": "TensorFlow 1.15.5"})
    assert [s.kind for s in section.statements] == ["good", "open"]
    assert section.statements[1].text.endswith("how they are run: programs, Keras files.")
    assert section.tables[0].rows[1][-1] == "a; --run x"
    assert len(lead) == 1


def test_a_difference_comes_first() -> None:
    section, _, _ = equality.section({"checks": [check("differs"), check("equal")], "reference": "x"})
    assert section.statements[0].kind == "bad" and len(section.statements) == 1
