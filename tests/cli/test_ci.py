"""Outputs for CI services: annotations that cannot be forged, JUnit that parses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from migrator.cli import ci
from migrator.model import Change, FileResult, Finding, Plan, Status
from tests.cli.conftest import BROKEN

Call = Callable[..., Result]


def test_annotations_and_junit(
    repo: Path, migrator: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "broken.py").write_text(BROKEN)
    monkeypatch.chdir(repo.parent)
    path = tmp_path / "junit.xml"
    said = migrator("migrate", repo, "--diff", "--annotations", "--junit", path, code=3).stdout
    lines = [line for line in said.splitlines() if line.startswith("::")]
    assert any(line.startswith("::notice file=repo/pkg/train.py,line=6,") for line in lines)
    assert any(line.startswith("::error file=repo/broken.py,line=1,") for line in lines)
    suite = ElementTree.fromstring(path.read_bytes())
    kinds = {case.get("name"): [part.tag for part in case] for case in suite}
    assert kinds == {"broken.py": ["error"], "old.py": ["failure"], "pkg/train.py": ["failure"]}
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("3", "1", "2")
    migrator("migrate", repo, "--annotations", "--json", code=2)


def test_nothing_in_a_file_forges_a_command_or_breaks_the_xml() -> None:
    bad = "x\n::error::y\r%0A,:<&\x00\x1b\ud800"
    change = Change("TF101", 1, 1, bad)
    finding = Finding("TF003", bad, 1, 0, bad, bad)
    plan = Plan("/r", (
        FileResult(bad, Status.CHANGED, changes=(change,), findings=(finding,)),
        FileResult("b", Status.FAILED, error=bad),
    ))  # fmt: skip
    lines = list(ci.github(plan))
    assert len(lines) == 3
    for line in lines:
        line.encode()
        assert "\n" not in line
        assert "\r" not in line
        assert line.startswith("::")
    suite = ElementTree.fromstring(ci.junit(plan))
    assert len(suite) == 2
