"""What tests of whole projects share: migrate them, run them, compare with what TF 1.15.5 left.

A *case* is a folder with `before.py` (perhaps with other modules), `after.py` (`after_MODULE.py` of
the others) and `expected.npz`, what the program saved under TF 1.15.5.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Plan
from tests import forks

Key = TypeVar("Key")
RUNNER = Path(__file__).parent / "training" / "run_migrated.py"
# TensorFlow 2 sets TF2_BEHAVIOR where it is imported, and TensorFlow 1.15 obeys.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "TF2_BEHAVIOR"},
    "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3",
}


def case_names(cases: Path) -> list[str]:
    """The cases of a folder."""
    return sorted(path.parent.name for path in cases.glob("*/before.py"))


def case_modules(case: Path) -> list[Path]:
    """The modules of a case before migration."""
    return [path for path in sorted(case.glob("*.py")) if not path.name.startswith("after")]


def copy_case(case: Path, folder: Path) -> None:
    """Copies what a case's program needs into `folder`: all but what is compared with."""
    ignored = shutil.ignore_patterns("after*.py", "expected.npz")
    shutil.copytree(case, folder, ignore=ignored, dirs_exist_ok=True)


def migrate_in_place(folder: Path, options: Options | None = None) -> Plan:
    """Migrates the project in `folder`; every file of it must be one that can be."""
    plan = build_plan(folder, options or Options(jobs=1))
    assert not plan.failed, [file.error for file in plan.failed]
    for file in plan.changed:
        assert file.new_text is not None
        (folder / file.path).write_text(file.new_text)
    for path, text in plan.support_files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return plan


def migrated_cases(cases: Path, factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every case of a folder, migrated into a folder of its own."""
    folders = {}
    for name in case_names(cases):
        folders[name] = factory.mktemp(name) / "project"
        copy_case(cases / name, folders[name])
        migrate_in_place(folders[name])
    return folders


def changed_again(folder: Path) -> list[str]:
    """The files that a second migration would change."""
    return [file.path for file in build_plan(folder, Options(jobs=1)).changed]


def migrated_texts(case: Path, folder: Path) -> list[str]:
    """The modules of a migrated case, each compared with its golden.

    MIGRATOR_UPDATE_GOLDENS=1 rewrites the goldens instead.
    """
    texts = []
    for path in case_modules(case):
        text = (folder / path.name).read_text()
        golden = case / ("after.py" if path.name == "before.py" else f"after_{path.name}")
        if os.environ.get("MIGRATOR_UPDATE_GOLDENS"):
            golden.write_text(text)
        assert text == golden.read_text()
        texts.append(text)
    return texts


class Programs(Generic[Key]):
    """Runs migrated programs, each when it is first asked for; they leave results.npz and outcome.json.

    Each is a fork of one process that has imported TensorFlow, and ends within a time of its own: one
    that hangs is one failed test.
    """

    def __init__(self, folders: Mapping[Key, Path]) -> None:
        """`folders`: where the migrated program of each key lies."""
        self._folders = folders
        self._runner: subprocess.Popen[str] | None = None

    def __getitem__(self, key: Key) -> Path:
        """The folder of a program that has run."""
        folder = self._folders[key]
        if not (folder / "outcome.json").exists():
            self._run(folder)
        return folder

    def _run(self, folder: Path) -> None:
        if self._runner is None:
            self._runner = subprocess.Popen(
                [sys.executable, str(RUNNER)], env=ENVIRONMENT, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )
        assert self._runner.stdin and self._runner.stdout
        print(folder, file=self._runner.stdin, flush=True)
        assert self._runner.stdout.readline(), "the process that runs programs has died"

    def close(self) -> None:
        """Ends the process that programs are forks of."""
        if self._runner is not None:
            self._runner.communicate()


@contextmanager
def programs(folders: Mapping[Key, Path]) -> Iterator[Programs[Key]]:
    """The programs in these folders, to be run on demand."""
    made = Programs(folders)
    try:
        yield made
    finally:
        made.close()


def outcome(folder: Path) -> dict[str, Any]:
    """What was written of a program that ran through: how often functions were traced."""
    said: dict[str, Any] = json.loads((folder / "outcome.json").read_text())
    assert "error" not in said, said["error"]
    return said


def assert_same_results(case: Path, folder: Path, rtol: float = 1e-6, atol: float = 1e-6) -> None:
    """Compares what the program saved with what it saved under TF 1.15.5: integers exactly."""
    expected = np.load(case / "expected.npz", allow_pickle=False)
    actual = np.load(folder / "results.npz", allow_pickle=False)
    assert sorted(expected.files) == sorted(actual.files)
    for key in expected.files:
        if expected[key].dtype.kind == "f":
            np.testing.assert_allclose(
                actual[key], expected[key], rtol=rtol, atol=atol, err_msg=key
            )
        else:
            np.testing.assert_array_equal(actual[key], expected[key], err_msg=key)


def migrate_command(project: Path, target: Path) -> None:
    """`migrator migrate PROJECT --out TARGET`, as a user runs it."""
    done = forks.COMMAND.run(["-m", "migrator", "migrate", str(project), "--out", str(target)])
    assert done.returncode == 0, done.stderr


def run_test_file(python: str, folder: Path, name: str) -> tuple[int, str]:
    """How a test file ends in that Python: its exit status and the last of what it printed."""
    if python == sys.executable:
        done = forks.run_tensorflow([name], folder)
    else:
        done = subprocess.run([python, name], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    return done.returncode, done.stderr[-3000:]


def assert_command_changes_nothing(migrated: Path, again: Path) -> None:
    """Migrates a migrated project into `again`: every file stays byte for byte."""
    migrate_command(migrated, again)
    for path in migrated.rglob("*.py"):
        assert (again / path.relative_to(migrated)).read_bytes() == path.read_bytes()
