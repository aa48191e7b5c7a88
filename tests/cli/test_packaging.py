"""The wheel: installed into an empty environment, the command works and has its data."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def run(*command: object, cwd: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def files_below(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".pyc", ".pyo")
    }


def test_a_wheel_in_an_empty_environment(tmp_path: Path, repository_root: Path) -> None:
    # setuptools builds in the tree that it is given, and would take up what lies in build/ there.
    source = tmp_path / "source"
    source.mkdir()
    for name in ("migrator", "rules", "templates"):
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(repository_root / name, source / name, ignore=skip)
    for name in ("setup.py", "setup.cfg", "pyproject.toml", "MANIFEST.in", "LICENSE", "README.md"):
        if (repository_root / name).exists():
            shutil.copy2(repository_root / name, source / name)
    run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", tmp_path, source,
        cwd=tmp_path,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("migrator-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("rules", "templates"):
        wanted = {f"migrator/{folder}/{name}" for name in files_below(source / folder)}
        assert wanted <= names
    assert {f"migrator/{name}" for name in files_below(source / "migrator")} <= names
    assert not any(name.startswith(("tests/", "rules/", "templates/")) for name in names)

    run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path)
    python = tmp_path / "env/bin/python"
    run(python, "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    command = tmp_path / "env/bin/migrator"
    rules = run(command, "rules", "--json", cwd=tmp_path)
    assert rules == run(sys.executable, "-m", "migrator", "rules", "--json", cwd=source)
    where = "import migrator.resources as r; print(r.rules_dir(), r.templates_dir())"
    assert str(tmp_path / "env") in run(python, "-c", where, cwd=tmp_path)

    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "a.py").write_text("import numpy as np\nx = np.int(1)\n")
    run(command, "migrate", repo, cwd=tmp_path)
    assert "int(1)" in (repo / "a.py").read_text()
    run(command, "report", repo, cwd=tmp_path)
    assert (repo / ".migrator/report.html").stat().st_size > 1000
