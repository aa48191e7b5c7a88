"""Whole session programs: what they become, and that they still compute what TF 1.15.5 did.

`cases/NAME/before.py` is a TF1 program (perhaps with other modules), `after.py` what migration makes
of it (`after_MODULE.py` of the others), `expected.npz` what the program saved under TF 1.15.5
(`record.py`). MIGRATOR_UPDATE_GOLDENS=1 rewrites the former.
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
    migrated_texts,
    outcome,
    programs,
)

CASES = Path(__file__).parent / "cases"
NAMES = case_names(CASES)
# Trained by Keras in single precision, whose Adam rounds otherwise than TF 1's kernel.
TOLERANCES = {"nameless": 1e-5}


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
        for word in ("tf.Session(", "tf.placeholder", "compat.v1", "tf.contrib"):
            assert word not in text


@pytest.mark.parametrize("name", NAMES)
def test_second_migration_changes_nothing(name: str, projects: dict[str, Path]) -> None:
    assert changed_again(projects[name]) == []


@pytest.mark.parametrize("name", NAMES)
def test_numbers(name: str, ran: Programs[str]) -> None:
    outcome(ran[name])
    assert_same_results(CASES / name, ran[name], rtol=TOLERANCES.get(name, 1e-6))


@pytest.mark.parametrize("name", NAMES)
def test_every_step_is_traced_once(name: str, ran: Programs[str]) -> None:
    traces = outcome(ran[name])["traces"]
    assert set(traces.values()) <= {1}, traces
