"""The wheel of the support package: built without a network, complete, importable with nothing beside it."""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from migrator import __version__, support, support_wheel
from migrator.cli.main import cli
from migrator.engine import requirements
from migrator.resources import templates_dir

MODULES = sorted(path.stem for path in (templates_dir() / "support").glob("*.py"))
IMPORTS = f"""
import importlib, importlib.metadata, sys
failed = []
for name in {MODULES}:
    try:
        importlib.import_module("tf1_support." + name if name != "__init__" else "tf1_support")
    except ImportError as error:
        if error.name not in ("tensorboard", "tensorflow_probability", "PIL"):  # told in the readme
            failed.append((name, str(error)))
import tf1_support
assert tf1_support.__version__ == importlib.metadata.version("tf1-support")
assert not any(name.split(".")[0] == "migrator" for name in sys.modules), "migrator was imported"
print(tf1_support.__file__, failed)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels") / "new"
    done = CliRunner().invoke(cli, ["wheel", str(folder)])
    assert done.exit_code == 0
    (path,) = folder.iterdir()
    assert path.name == f"tf1_support-{__version__}-py3-none-any.whl"
    return path


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as pip installs it, which checks its record."""
    target = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", target,
         "--find-links", wheel.parent, requirements.pin_of_support()], check=True,
    )  # fmt: skip
    return target


def test_the_same_bytes_whenever_it_is_made(wheel: Path, tmp_path: Path) -> None:
    again = support_wheel.write(tmp_path)
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(wheel.read_bytes()).digest()
    assert [path.name for path in tmp_path.iterdir()] == [wheel.name]


def test_it_has_all_that_can_be_rendered(site: Path) -> None:
    files = {path.name: path.read_text() for path in (site / "tf1_support").glob("*.py")}
    assert {"py.typed"} <= {path.name for path in (site / "tf1_support").iterdir()}
    for name, text in support.render(support.available()).items():
        defined = {n.name for n in ast.parse(text).body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        assert defined <= {
            n.name for n in ast.parse(files[name]).body if isinstance(n, (ast.ClassDef, ast.FunctionDef))
        }  # fmt: skip


@pytest.mark.slow
def test_every_module_is_imported_alone(site: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(site), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == f"{site / 'tf1_support' / '__init__.py'} []"


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_has_types(name: str) -> None:
    tree = ast.parse((templates_dir() / "support" / f"{name}.py").read_text())
    lacking = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            a = node.args
            every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
            if node.returns is None or any(x.annotation is None for x in every):
                lacking.append(node.name)
    assert not lacking


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = CliRunner().invoke(cli, ["wheel", str(tmp_path / "file" / "deeper")])
    assert done.exit_code == 4 and "cannot be written" in done.output
