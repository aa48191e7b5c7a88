"""The renderer: what it cuts out runs alone, is complete, clean and the same every time."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from migrator import resources, support
from migrator.support_source import INDEX, Module, Modules, cut

SYMBOLS = sorted(support.available())


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One package per symbol: p0, p1, …"""
    root = tmp_path_factory.mktemp("rendered")
    for number, symbol in enumerate(SYMBOLS):
        package = root / f"p{number}"
        package.mkdir()
        for name, text in support.render([symbol]).items():
            (package / name).write_text(text, encoding="utf-8")
    return root


def test_nothing_is_executed() -> None:
    """Rendering must not import TensorFlow."""
    code = (
        "import sys; from migrator import support; support.render(support.available());"
        "sys.exit('tensorflow' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_the_index_is_that_of_the_modules() -> None:
    """Else: PYTHONPATH=. python rules/tools/make_support_index.py"""
    folder = resources.templates_dir() / "support"
    index = json.loads((folder.parent / INDEX).read_text())
    modules = Modules(folder)
    assert list(index) == list(modules)
    for name, path in modules.paths.items():
        sha256, known = index[name]
        text = path.read_text()
        assert sha256 == hashlib.sha256(path.read_bytes()).hexdigest(), name
        assert Module.from_index(known, text) == cut(name, text, frozenset(modules)), name


def test_a_module_that_the_index_does_not_know_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "support"
    shutil.copytree(resources.templates_dir() / "support", folder)
    shutil.copy(resources.templates_dir() / INDEX, tmp_path)
    with (folder / "names.py").open("a") as file:
        file.write("\n\nADDED = 1\n")
    assert "ADDED" in Modules(folder)["names"].by_name
    (tmp_path / INDEX).write_text("{")
    assert "ADDED" in Modules(folder)["names"].by_name


@pytest.mark.parametrize(
    "symbol",
    ["slim.conv2d", "slim.losses.log_loss", "scopes.ScopedModel", "losses.Reduction", "slim.arg_scope"],
)
def test_known_symbols(symbol: str) -> None:
    assert symbol in support.available()


def test_first_line_is_the_marker_and_the_text_compiles() -> None:
    for name, text in support.render(SYMBOLS).items():
        assert text.splitlines()[0] == support.MARKER
        compile(text, name, "exec")


def test_only_what_is_needed() -> None:
    text = support.render(["slim.l2_regularizer"])
    assert "def l2_regularizer" in text["initializers.py"]
    assert "def xavier_initializer" not in text["initializers.py"]
    assert "slim_norm.py" not in text
    assert "ScopedModel" not in text.get("scopes.py", "")


def test_deeper_names_and_the_order_do_not_matter() -> None:
    once = support.render(["scopes.GraphKeys.LOSSES", "slim.conv2d"])
    assert once == support.render(["slim.conv2d", "scopes.GraphKeys", "slim.conv2d"])


@pytest.mark.parametrize("symbol", ["slim.no_such_layer", "nowhere.conv2d", "slim._private"])
def test_unknown_symbol(symbol: str) -> None:
    with pytest.raises(support.UnknownSymbol, match=symbol.replace(".", r"\.")):
        support.render([symbol])


def test_ruff_finds_nothing(rendered: Path) -> None:
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"])
    if ruff is None:
        pytest.skip("ruff is not installed")
    rules = ["--isolated", "--select", "E,F,I,W,UP", "--line-length", "110", "--target-version"]
    result = subprocess.run(
        [ruff, "check", *rules, "py311", "--output-format", "concise", str(rendered)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


def test_every_symbol_imports_alone(rendered: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tensorflow")
    monkeypatch.syspath_prepend(str(rendered))
    for number, symbol in enumerate(SYMBOLS):
        module, *path = symbol.split(".")
        found = importlib.import_module(f"p{number}.{module}")
        for part in path:
            found = getattr(found, part)
        for name in sorted(sys.modules):  # keep memory flat
            if name.partition(".")[0] == f"p{number}":
                del sys.modules[name]
