"""Programs around graphs (queues, readers, monitored sessions, loops of slim) compute what TF 1.15.5 did.

`cases/NAME/before.py` is a TF1 program, `expected.npz` what it saved under TF 1.15.5 (`record.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transforms.projects import (
    Programs,
    assert_same_results,
    case_names,
    changed_again,
    migrated_cases,
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
def test_nothing_of_tf1_is_left(name: str, projects: dict[str, Path]) -> None:
    text = (projects[name] / "before.py").read_text()
    for word in ("v1.Session", "v1.placeholder", "tf.Session(", "tf.placeholder", "tf.contrib"):
        assert word not in text
    assert changed_again(projects[name]) == []


@pytest.mark.parametrize("name", NAMES)
def test_numbers(name: str, ran: Programs[str]) -> None:
    outcome(ran[name])
    assert_same_results(CASES / name, ran[name], rtol=1e-5, atol=1e-6)
