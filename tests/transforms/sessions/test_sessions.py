"""Frozen graphs, freezing scripts and tests with sessions: their text, and that they compute what
TF 1.15.5 computed.

`cases/NAME/before.py` is a TF1 program (perhaps with other modules), `after.py` what migration makes
of it (`after_MODULE.py` of the others), `expected.npz` what it saved under TF 1.15.5 (`record.py`).
MIGRATOR_UPDATE_GOLDENS=1 rewrites the goldens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Rung
from migrator.transforms.run_outcomes import run_outcomes
from tests.transforms.projects import (
    Programs,
    assert_same_results,
    case_modules,
    case_names,
    changed_again,
    copy_case,
    migrated_cases,
    migrated_texts,
    outcome,
    programs,
)

CASES = Path(__file__).parent / "cases"
NAMES = case_names(CASES)


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every case, migrated into a folder of its own."""
    return migrated_cases(CASES, tmp_path_factory)


@pytest.fixture(scope="module")
def ran(projects: dict[str, Path]) -> Iterator[Programs[str]]:
    """The migrated programs, each run when a test asks for it first."""
    with programs(projects) as made:
        yield made


@pytest.mark.parametrize("name", NAMES)
def test_text(name: str, projects: dict[str, Path]) -> None:
    for text in migrated_texts(CASES / name, projects[name]):
        assert "compat.v1" not in text
        assert "Session(" not in text


@pytest.mark.parametrize("name", NAMES)
def test_every_run_is_native(name: str, tmp_path: Path) -> None:
    copy_case(CASES / name, tmp_path / name)
    plan = build_plan(tmp_path / name, Options(jobs=1))
    runs = [record for result in plan.files for record in run_outcomes(result)]
    before = "".join(path.read_text() for path in case_modules(CASES / name))
    assert runs or ".run(" not in before  # an estimator runs its sessions itself
    assert {record.rung for record in runs} <= {Rung.NATIVE}, runs


@pytest.mark.parametrize("name", NAMES)
def test_same_values_as_tensorflow_1(name: str, ran: Programs[str]) -> None:
    outcome(ran[name])
    assert_same_results(CASES / name, ran[name], rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_migrating_again_changes_nothing(name: str, projects: dict[str, Path]) -> None:
    assert changed_again(projects[name]) == []


@pytest.mark.parametrize("name", NAMES)
def test_comments_and_assertions_stay(name: str, projects: dict[str, Path]) -> None:
    before = (CASES / name / "before.py").read_text()
    after = (projects[name] / "before.py").read_text()
    assert set(re.findall(r"# .*", before)) <= set(re.findall(r"# .*", after))
    assert before.count("self.assert") == after.count("self.assert")
