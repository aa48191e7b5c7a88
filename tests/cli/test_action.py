"""The GitHub Action's script, run as GitHub would, with migrator from this checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")


def step() -> dict[str, Any]:
    (found,) = [s for s in ACTION["runs"]["steps"] if s.get("id") == "migrate"]
    return dict(found)


def run(tmp_path: Path, repo: Path, **inputs: str) -> tuple[int, dict[str, str], str]:
    """(exit code, outputs, what was printed) of the step with some inputs."""
    given = {name: value["default"] for name, value in ACTION["inputs"].items()} | {
        "path": str(repo), "sarif": str(tmp_path / "out.sarif"),
        **{name.replace("_", "-"): value for name, value in inputs.items()},
    }  # fmt: skip
    program = tmp_path / "bin/migrator"
    program.parent.mkdir(exist_ok=True)
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = [{str(ROOT)!r}]\n"
        "from migrator.cli.main import main\nmain()\n"
    )
    program.chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "outputs"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }  # fmt: skip
    for name, expression in step()["env"].items():
        key = expression.removeprefix("${{ inputs.").removesuffix(" }}")
        environment[name] = given[key]
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step()["run"]],
        env=environment, capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    lines = (tmp_path / "outputs").read_text().splitlines() if (tmp_path / "outputs").exists() else []
    return done.returncode, dict(line.split("=", 1) for line in lines), done.stdout + done.stderr


def test_changes_fail_and_are_shown(tmp_path: Path, repo: Path) -> None:
    code, outputs, said = run(tmp_path, repo)
    assert (code, outputs["exit-code"]) == (1, "1"), said
    assert "::notice file=" in said
    assert (tmp_path / "summary.md").read_text().startswith("## TensorFlow 2 migration")
    assert json.loads((tmp_path / "out.sarif").read_text())["version"] == "2.1.0"


@pytest.mark.parametrize(("fail_on", "code"), [("never", 0), ("errors", 0), ("nonsense", 2)])
def test_what_fails_is_chosen(tmp_path: Path, repo: Path, fail_on: str, code: int) -> None:
    assert run(tmp_path, repo, fail_on=fail_on)[0] == code


def test_inputs_are_no_code(tmp_path: Path, repo: Path) -> None:
    evil = '"; touch ran; echo "$(touch ran2) `touch ran3`'
    run(tmp_path, repo, arguments=evil, baseline=evil, path=evil)
    assert sorted(p.name for p in tmp_path.rglob("ran*")) == []
    for text in (ACTION["runs"]["steps"][-1]["run"], ACTION["runs"]["steps"][1]["run"]):
        assert "${{" not in text


def test_a_baseline_and_a_page(tmp_path: Path, repo: Path) -> None:
    known = tmp_path / "base.json"
    code, _, said = run(tmp_path, repo, arguments=f"--write-baseline {known}")
    assert known.exists(), said
    code, outputs, said = run(tmp_path, repo, baseline=str(known), review=str(tmp_path / "r.html"))
    assert (code, outputs["exit-code"]) == (0, "0"), said
    assert (tmp_path / "r.html").exists()
