"""What programs read: schemas, exit codes, Markdown, and where the time went."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import Result

from migrator.cli import exits, markdown, schemas
from migrator.model import Change, Confidence, FileResult, Finding, Plan, Rung, Status

Call = Callable[..., Result]
DOCS = Path(__file__).resolve().parents[2] / "docs"


def schema(name: str) -> Any:
    return json.loads((DOCS / "schemas" / f"{name}.schema.json").read_text())


def valid(name: str, document: Any) -> None:
    validator = jsonschema.Draft202012Validator(schema(name))
    assert [e.message for e in validator.iter_errors(document)] == []


def test_the_schemas_are_those_of_the_records() -> None:
    """After a record has changed: python -m migrator.cli.schemas docs/schemas"""
    assert schema("plan-1") == schemas.plan()
    assert schema("scan-1") == schemas.scan()
    assert schema("todo-1") == schemas.todo()
    for name in ("plan-1", "scan-1"):
        jsonschema.Draft202012Validator.check_schema(schema(name))


def test_everything_that_is_printed_and_kept_is_valid(
    repo: Path, migrator: Call, tmp_path: Path
) -> None:
    (repo / "broken.py").write_text("def f(:\n")
    plan = tmp_path / "plan.json"
    migrator("migrate", repo, "--plan", plan, code=3)
    valid("plan-1", json.loads(plan.read_text()))
    valid("plan-1", json.loads(migrator("migrate", repo, "--diff", "--json", code=3).stdout))
    valid("scan-1", json.loads(migrator("scan", repo, "--json", code=3).stdout))
    done = json.loads(migrator("migrate", repo, "--json", "--statistics", code=3).stdout)
    valid("plan-1", done)
    assert done["applied"]["written"]
    valid("plan-1", json.loads((repo / ".migrator/plan.json").read_text()))


def test_a_schema_refuses_what_is_none(repo: Path, migrator: Call) -> None:
    document = json.loads(migrator("migrate", repo, "--diff", "--json", code=1).stdout)
    validator = jsonschema.Draft202012Validator(schema("plan-1"))
    for spoil in (
        lambda d: d.pop("format"), lambda d: d.update(version=2),
        lambda d: d["files"][0].update(status="maybe"), lambda d: d["files"][0].pop("path"),
    ):  # fmt: skip
        spoiled = json.loads(json.dumps(document))
        spoil(spoiled)
        assert list(validator.iter_errors(spoiled))


def test_exit_codes_are_documented_as_they_are() -> None:
    told = (DOCS / "output.md").read_text()
    codes = {
        int(code): name for name, code in vars(exits).items() if isinstance(code, int) and name.isupper()
    }  # fmt: skip
    assert set(codes) == {0, 1, 2, 3, 4, 130}
    documented = {int(n) for n in re.findall(r"^\| (\d+) \|", told, re.MULTILINE)}
    assert documented == set(codes)
    assert {int(n) for n in re.findall(r"^  (\d+)  ", exits.HELP, re.MULTILINE)} == set(codes)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("migrate", "{repo}/pkg", "--diff"), 1), (("migrate", "{repo}/sub", "--diff"), 0),
        (("migrate", "{repo}", "--diff", "--select", "PY2", "--nonsense"), 2),
        (("migrate", "{repo}/bad", "--diff"), 3), (("undo", "{repo}"), 4),
        (("migrate", "{repo}/nowhere",), 2), (("apply", "{repo}/data.txt"), 2),
    ],
)  # fmt: skip
def test_exit_codes(repo: Path, migrator: Call, arguments: tuple[str, ...], code: int) -> None:
    (repo / "sub").mkdir()
    (repo / "sub/fine.py").write_text("x = 1\n")
    (repo / "bad").mkdir()
    (repo / "bad/broken.py").write_text("def f(:\n")
    migrator(*(a.format(repo=repo) for a in arguments), code=code)


def test_where_the_time_went(repo: Path, migrator: Call) -> None:
    said = migrator("migrate", repo, "--diff", "--statistics", "--no-cache", code=1).stderr
    assert "where it went:" in said and "rule PY2" in said or "tables, names" in said
    found = json.loads(
        migrator("migrate", repo, "--diff", "--statistics", "--json", "--no-cache", code=1).stdout
    )
    for item in found["files"]:
        spent = dict(item["timings"])
        assert sum(spent.values()) <= item["seconds"] * 1.5 + 0.01
    plain = json.loads(migrator("migrate", repo, "--diff", "--json", "--no-cache", code=1).stdout)
    assert all(not item["timings"] for item in plain["files"])


def test_a_summary_in_markdown_has_no_markup_of_others() -> None:
    hostile = "<img src=x onerror=alert(1)> [x](http://evil) @someone `tick` | bar\n# head ![i](http://a)"
    change = Change("TF110", 1, 1, hostile, confidence=Confidence.LIKELY)
    finding = Finding("TF003", f"{hostile}.py", 3, 0, hostile, hostile, rung=Rung.MANUAL)
    plan = Plan(
        "/r",
        (
            FileResult("a.py", Status.CHANGED, "0", "x\n", "y\n", (change,), (finding,)),
            FileResult("b.py", Status.FAILED, error=hostile),
        ),
        (("tf1_support/x.py", ""),),
    )
    text = markdown.summary(plan)
    assert "1 edit in 1 file, 1 place left for a person, 1 file could not be read" in text
    assert "1 likely" in text
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    outside = outside.replace("<details><summary>What is left</summary>", "").replace("</details>", "")
    assert not re.search(r"(?<!\\)<", outside), outside
    assert not re.search(r"(?<!\\)\[", outside) and "http:" not in outside
    assert "@someone" not in outside and "\n# head" not in text
    rows = [line for line in text.splitlines() if line.startswith("| `TF110`")]
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 5


def test_the_summary_is_written(repo: Path, migrator: Call, tmp_path: Path) -> None:
    file = tmp_path / "s.md"
    migrator("migrate", repo, "--diff", "--summary", file, code=1)
    assert file.read_text().startswith("## TensorFlow 2 migration\n\n")
