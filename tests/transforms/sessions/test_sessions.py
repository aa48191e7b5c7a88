"""Frozen graphs, freezing scripts and tests with sessions: their text, and that they compute what
TF 1.15.5 computed.

`cases/NAME/before.py` is a TF1 program (perhaps with other modules), `after.py` what migration makes
of it (`after_MODULE.py` of the others), `expected.npz` what it saved under TF 1.15.5 (`record.py`).
MIGRATOR_UPDATE_GOLDENS=1 rewrites the goldens.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Rung
from migrator.transforms.run_outcomes import run_outcomes

HERE = Path(__file__).parent
CASES = sorted(path.parent.name for path in (HERE / "cases").glob("*/before.py"))


def migrate(folder: Path) -> None:
    """Migrates the project in `folder` in place."""
    plan = build_plan(folder, Options(jobs=1))
    assert not plan.failed, [f.error for f in plan.failed]
    for result in plan.changed:
        assert result.new_text is not None
        (folder / result.path).write_text(result.new_text)
    for path, text in plan.support_files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every case, migrated into a folder of its own."""
    folders = {}
    for name in CASES:
        folder = tmp_path_factory.mktemp(name) / "project"
        ignored = shutil.ignore_patterns("after*.py", "expected.npz")
        shutil.copytree(HERE / "cases" / name, folder, ignore=ignored)
        migrate(folder)
        folders[name] = folder
    return folders


@pytest.fixture(scope="module")
def outcomes(projects: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """What running the migrated programs did (one process for all of them)."""
    runner = HERE.parent / "training" / "run_migrated.py"
    subprocess.run(
        [sys.executable, str(runner), *map(str, projects.values())],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"},
        check=True,
    )
    return {n: json.loads((f / "outcome.json").read_text()) for n, f in projects.items()}


@pytest.mark.parametrize("name", CASES)
def test_text(name: str, projects: dict[str, Path]) -> None:
    for path in sorted((HERE / "cases" / name).glob("*.py")):
        if path.name.startswith("after"):
            continue
        text = (projects[name] / path.name).read_text()
        after = "after.py" if path.name == "before.py" else f"after_{path.name}"
        golden = HERE / "cases" / name / after
        if os.environ.get("MIGRATOR_UPDATE_GOLDENS"):
            golden.write_text(text)
        assert text == golden.read_text()
        assert "compat.v1" not in text
        assert "Session(" not in text


@pytest.mark.parametrize("name", CASES)
def test_every_run_is_native(name: str, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("after*.py", "expected.npz")
    shutil.copytree(HERE / "cases" / name, tmp_path / name, ignore=ignored)
    plan = build_plan(tmp_path / name, Options(jobs=1))
    runs = [record for result in plan.files for record in run_outcomes(result)]
    before = "".join(path.read_text() for path in (HERE / "cases" / name).glob("*.py"))
    assert runs or ".run(" not in before  # an estimator runs its sessions itself
    assert {record.rung for record in runs} <= {Rung.NATIVE}, runs


@pytest.mark.parametrize("name", CASES)
def test_same_values_as_tensorflow_1(name: str, outcomes: Any, projects: Any) -> None:
    assert "error" not in outcomes[name], outcomes[name]["error"]
    expected = np.load(HERE / "cases" / name / "expected.npz")
    found = np.load(projects[name] / "results.npz")
    assert sorted(found.files) == sorted(expected.files)
    for key in expected.files:
        np.testing.assert_allclose(found[key], expected[key], rtol=1e-5, atol=1e-6, err_msg=key)


@pytest.mark.parametrize("name", CASES)
def test_migrating_again_changes_nothing(name: str, projects: dict[str, Path]) -> None:
    assert not build_plan(projects[name], Options(jobs=1)).changed


@pytest.mark.parametrize("name", CASES)
def test_comments_and_assertions_stay(name: str, projects: dict[str, Path]) -> None:
    before = (HERE / "cases" / name / "before.py").read_text()
    after = (projects[name] / "before.py").read_text()
    assert set(re.findall(r"# .*", before)) <= set(re.findall(r"# .*", after))
    assert before.count("self.assert") == after.count("self.assert")
