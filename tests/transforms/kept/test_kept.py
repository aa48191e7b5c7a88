"""Session programs that stay TF1: they still run on TensorFlow 2, with the same results.

`cases/NAME/before.py` cannot be made native; `after.py` is what migration leaves (`after_MODULE.py`
of other modules), `expected.npz` what TF 1.15.5 computed (recorded by `../training/record.py`).
MIGRATOR_UPDATE_GOLDENS=1 rewrites the texts.
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
from migrator.model import Finding, Rung

HERE = Path(__file__).parent
RUN = HERE.parent / "training" / "run_migrated.py"
CASES = sorted(path.name for path in (HERE / "cases").iterdir() if (path / "before.py").exists())
#: what each program's finding names, and functions that are native beside it
REASONS = {
    "handed_optimizer": ("cannot be told from this module", {}),
    "recurrent": ("makes placeholders of its own", {}),
    "meta_graph": ("is imported again", {}),
    "mixed": ("train_op is read", {"predict": 1}),
    "named_tensors": ("is asked for what is in it by name", {}),
    "script": ("is asked for what is in it by name", {}),
}


def modules(name: str) -> list[Path]:
    """The files of a case before migration."""
    every = sorted((HERE / "cases" / name).glob("*.py"))
    return [path for path in every if not path.name.startswith("after")]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, tuple[Finding, ...]]]:
    """Every case, migrated into a folder of its own, with what was said about it."""
    result = {}
    for name in CASES:
        folder = tmp_path_factory.mktemp(name)
        for path in modules(name):
            shutil.copy(path, folder)
        plan = build_plan(folder, Options(jobs=1))
        for file in plan.changed:
            assert file.new_text is not None
            (folder / file.path).write_text(file.new_text)
        for path_, text in plan.support_files:
            (folder / path_).parent.mkdir(parents=True, exist_ok=True)
            (folder / path_).write_text(text)
        result[name] = folder, plan.findings
    return result


@pytest.fixture(scope="module")
def outcomes(kept: dict[str, tuple[Path, Any]]) -> dict[str, dict[str, Any]]:
    """What running the programs did; a script that gives up eager execution has its own process."""
    folders = [str(folder) for folder, _ in kept.values()]
    alone = [str(kept["script"][0])]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    for group in ([f for f in folders if f not in alone], alone):
        subprocess.run([sys.executable, str(RUN), *group], env=environment, check=True)
    return {
        name: json.loads((folder / "outcome.json").read_text())
        for name, (folder, _) in kept.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_text_and_finding(name: str, kept: dict[str, tuple[Path, tuple[Finding, ...]]]) -> None:
    folder, findings = kept[name]
    for path in modules(name):
        text = (folder / path.name).read_text()
        after = "after.py" if path.name == "before.py" else f"after_{path.name}"
        golden = HERE / "cases" / name / after
        if os.environ.get("MIGRATOR_UPDATE_GOLDENS"):
            golden.write_text(text)
        assert text == golden.read_text()
    kept_programs = [f for f in findings if f.code == "TF390"]
    finding = kept_programs[0]
    assert len(kept_programs) == 1
    assert REASONS[name][0] in finding.message and finding.advice and finding.rung is Rung.COMPAT


@pytest.mark.parametrize("name", CASES)
def test_it_runs_and_computes_the_same(
    name: str, kept: dict[str, tuple[Path, Any]], outcomes: dict[str, dict[str, Any]]
) -> None:
    assert "error" not in outcomes[name], outcomes[name]["error"]
    assert outcomes[name]["traces"] == REASONS[name][1]
    expected = np.load(HERE / "cases" / name / "expected.npz", allow_pickle=False)
    actual = np.load(kept[name][0] / "results.npz", allow_pickle=False)
    assert sorted(expected.files) == sorted(actual.files)
    for key in expected.files:
        if expected[key].dtype.kind == "f":
            np.testing.assert_allclose(actual[key], expected[key], rtol=1e-6, atol=1e-6)
        else:
            np.testing.assert_array_equal(actual[key], expected[key])


@pytest.mark.parametrize("name", CASES)
def test_second_migration_changes_nothing(
    name: str, kept: dict[str, tuple[Path, Any]]
) -> None:
    plan = build_plan(kept[name][0], Options(jobs=1))
    assert [result.path for result in plan.changed] == []
