"""Command workloads: what is compared, and what becomes of programs that misbehave.

The commands are shell scripts, so that no TensorFlow has to start.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from migrator import verify
from migrator.verify import workspace
from migrator.verify.records import Check, Status
from migrator.workload.spec import Workload

REFERENCE = verify.Reference("TensorFlow 1.15.5 (Python 3.7.9)", "tf1", "/usr/bin/false")


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    pair = tmp_path / "before", tmp_path / "after"
    for tree in pair:
        tree.mkdir()
        (tree / "run.sh").write_text('cp data.* "$1"')
        np.savez(tree / "data.npz", a=np.array([0.5, 0.25]), n=np.array([3]))
        (tree / "data.json").write_text(json.dumps({"loss": [1.5, 1.25], "name": "x", "no": None}))
    return pair


def run(trees: tuple[Path, Path], command: str, *artifacts: str, timeout: float = 60.0) -> list[Check]:
    workload = Workload("w", "command", command=command, artifacts=artifacts, timeout=timeout)
    return list(verify.run(*trees, [workload], REFERENCE).checks)


def test_equal_files(trees: tuple[Path, Path]) -> None:
    for tree in trees:
        (tree / "data.txt").write_text("same")
    checks = run(trees, "sh run.sh\n {out}", "data.*")
    assert [c.status for c in checks] == [Status.EQUAL] * 4
    assert [c.name for c in checks] == ["exit code", "data.json", "data.npz", "data.txt"]


def test_differing_files(trees: tuple[Path, Path]) -> None:
    np.savez(trees[1] / "data.npz", a=np.array([0.5, 0.26]), n=np.array([3]))
    (trees[1] / "data.json").write_text(json.dumps({"loss": [1.5, 1.25], "name": "y", "no": None}))
    exit_code, as_json, as_npz = run(trees, "sh run.sh {out}", "data.*")
    assert exit_code.status is Status.EQUAL
    assert (as_json.status, as_json.where) == (Status.DIFFERS, "name")
    assert (as_npz.status, as_npz.where) == (Status.DIFFERS, "a")
    assert as_npz.difference == pytest.approx(0.02)


def test_file_that_is_not_written_any_more(trees: tuple[Path, Path]) -> None:
    (trees[1] / "data.npz").unlink()
    checks = run(trees, "sh run.sh {out}", "data.npz")
    assert checks[1].status is Status.DIFFERS and "does not write it" in checks[1].detail


def test_artifact_that_the_original_does_not_write(trees: tuple[Path, Path]) -> None:
    checks = run(trees, "sh run.sh {out}", "*.pb")
    assert checks[1].status is Status.NOT_RUN and "wrote no file *.pb" in checks[1].detail


def test_file_that_cannot_be_read(trees: tuple[Path, Path]) -> None:
    (trees[1] / "data.npz").write_bytes(b"not an archive")
    assert run(trees, "sh run.sh {out}", "data.npz")[1].status is Status.FAILED


def test_pickled_arrays_are_not_loaded(trees: tuple[Path, Path]) -> None:
    for tree in trees:
        np.savez(tree / "data.npz", a=np.array([{"a": 1}], dtype=object))
    checks = run(trees, "sh run.sh {out}", "data.npz")
    assert checks[1].status is Status.NOT_RUN and "cannot be read" in checks[1].detail


def test_crash_of_the_migrated_program(trees: tuple[Path, Path]) -> None:
    (trees[1] / "run.sh").write_text("echo 'ValueError: bad' >&2; exit 3")
    (found,) = run(trees, "sh run.sh {out}", "data.npz")
    assert found.status is Status.FAILED
    assert "exit code 3" in found.detail and "ValueError: bad" in found.detail


def test_crash_of_the_original(trees: tuple[Path, Path]) -> None:
    (trees[0] / "run.sh").write_text("kill -SEGV $$")
    (found,) = run(trees, "sh run.sh {out}", "data.npz")
    assert found.status is Status.NOT_RUN and found.detail.startswith("the original: ")


def test_time_out(trees: tuple[Path, Path]) -> None:
    (trees[1] / "run.sh").write_text("echo so far; sleep 100")
    (found,) = run(trees, "sh run.sh {out}", timeout=0.5)
    assert found.status is Status.FAILED
    assert "stopped after 0.5 s" in found.detail and "so far" in found.detail


def test_one_bad_workload_does_not_stop_the_others(trees: tuple[Path, Path]) -> None:
    workloads = [
        Workload("bad", "command", command="exit 1"),
        Workload("good", "command", command="true"),
    ]
    verified = verify.run(*trees, workloads, REFERENCE)
    assert [c.status for c in verified.checks] == [Status.NOT_RUN, Status.EQUAL]
    assert verified.ok


def test_without_reference_nothing_runs(trees: tuple[Path, Path]) -> None:
    nothing = verify.Reference("nothing", "", why="there is no TensorFlow")
    verified = verify.run(*trees, [Workload("w", "command", command="touch {out}/x")], nothing)
    assert [c.status for c in verified.checks] == [Status.NOT_RUN]
    assert "there is no TensorFlow" in verified.checks[0].detail and not verified.ok


def test_paths_with_blanks_are_quoted(tmp_path: Path) -> None:
    workload = Workload("w", "command", command="{python} a.py --out={out} -b {batch}", batch=3)
    line = workspace.command_line(workload, tmp_path / "c d")[-1]
    assert line.startswith("python a.py ") and line.endswith("c d' -b 3")
