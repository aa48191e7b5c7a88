"""Whole session programs: what they become, and that they still compute what TF 1.15.5 did.

`cases/NAME/before.py` is a TF1 program (perhaps with other modules), `after.py` what migration makes
of it (`after_MODULE.py` of the others), `expected.npz` what the program saved under TF 1.15.5
(`record.py`). MIGRATOR_UPDATE_GOLDENS=1 rewrites the former.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan

HERE = Path(__file__).parent
CASES = sorted(path.name for path in (HERE / "cases").iterdir() if (path / "before.py").exists())
TOLERANCE = 1e-6


def migrated(folder: Path, options: Options) -> None:
    """Migrate the project in `folder` in place."""
    plan = build_plan(folder, options)
    assert not plan.failed, [f.error for f in plan.failed]
    for result in plan.changed:
        assert result.new_text is not None
        (folder / result.path).write_text(result.new_text)
    for path, text in plan.support_files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def modules(name: str) -> list[Path]:
    """The files of a case before migration."""
    every = sorted((HERE / "cases" / name).glob("*.py"))
    return [path for path in every if not path.name.startswith("after")]


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every case, migrated into a folder of its own."""
    folders = {}
    for name in CASES:
        folder = tmp_path_factory.mktemp(name)
        for path in modules(name):
            shutil.copy(path, folder)
        migrated(folder, Options(jobs=1))
        folders[name] = folder
    return folders


@pytest.fixture(scope="session")
def outcomes(projects: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """What running the migrated programs did (one process for all of them)."""
    subprocess.run(
        [sys.executable, str(HERE / "run_migrated.py"), *map(str, projects.values())],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"},
        check=True,
    )
    return {
        name: json.loads((folder / "outcome.json").read_text())
        for name, folder in projects.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_text(name: str, projects: dict[str, Path]) -> None:
    for path in modules(name):
        text = (projects[name] / path.name).read_text()
        after = "after.py" if path.name == "before.py" else f"after_{path.name}"
        golden = HERE / "cases" / name / after
        if os.environ.get("MIGRATOR_UPDATE_GOLDENS"):
            golden.write_text(text)
        assert text == golden.read_text()
        for word in ("Session(", "tf.placeholder", "compat.v1", "tf.contrib", "feed_dict="):
            assert word not in text


@pytest.mark.parametrize("name", CASES)
def test_second_migration_changes_nothing(name: str, projects: dict[str, Path]) -> None:
    plan = build_plan(projects[name], Options(jobs=1))
    assert [result.path for result in plan.changed] == []


@pytest.mark.parametrize("name", CASES)
def test_numbers(
    name: str, projects: dict[str, Path], outcomes: dict[str, dict[str, Any]]
) -> None:
    assert "error" not in outcomes[name], outcomes[name]["error"]
    expected = np.load(HERE / "cases" / name / "expected.npz", allow_pickle=False)
    actual = np.load(projects[name] / "results.npz", allow_pickle=False)
    assert sorted(expected.files) == sorted(actual.files)
    for key in expected.files:
        if expected[key].dtype.kind == "f":
            np.testing.assert_allclose(
                actual[key], expected[key], rtol=TOLERANCE, atol=TOLERANCE, err_msg=key
            )
        else:
            np.testing.assert_array_equal(actual[key], expected[key], err_msg=key)


@pytest.mark.parametrize("name", CASES)
def test_every_step_is_traced_once(name: str, outcomes: dict[str, dict[str, Any]]) -> None:
    traces = outcomes[name]["traces"]
    assert traces and set(traces.values()) == {1}, traces
