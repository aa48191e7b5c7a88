"""Which edits are made: confidence, settings for some files only, and what is said about the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

SURE = "import numpy as np\n\nx = np.float(1)\n"
LIKELY = "import cStringIO\n\ny = cStringIO.StringIO()\n"
REVIEW = "import platform\n\nz = platform.linux_distribution()\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "tests").mkdir(parents=True)
    for folder in (root, root / "tests"):
        (folder / "sure.py").write_text(SURE)
        (folder / "likely.py").write_text(LIKELY)
        (folder / "review.py").write_text(REVIEW)
    (root / "uses.py").write_text("import tensorflow as tf\n\nprint(tf.nn.relu)\n")
    return root


def changed(migrator: Callable[..., Result], tree: Path, *more: str) -> set[str]:
    said = migrator("migrate", tree, "--diff", "--json", "--no-cache", *more, code=None)
    return {f["path"] for f in json.loads(said.stdout)["files"] if f["status"] == "changed"}


def held(migrator: Callable[..., Result], tree: Path, *more: str) -> list[tuple[str, int]]:
    said = migrator("migrate", tree, "--diff", "--json", "--no-cache", *more, code=None)
    plan = json.loads(said.stdout)
    return sorted(
        (found["path"], found["line"])
        for item in plan["files"] for found in item["findings"] if found["code"] == "TF006"
    )  # fmt: skip


def both(*names: str) -> set[str]:
    return {f"{folder}{name}.py" for folder in ("", "tests/") for name in names}


@pytest.mark.parametrize(
    ("least", "made", "not_made"),
    [
        ("review", ("sure", "likely", "review"), ()),
        ("likely", ("sure", "likely"), ("review",)),
        ("proven", ("sure",), ("likely", "review")),
    ],
)
def test_edits_below_the_confidence_become_findings(
    migrator: Callable[..., Result], tree: Path, least: str, made: tuple[str, ...],
    not_made: tuple[str, ...],
) -> None:  # fmt: skip
    assert changed(migrator, tree, "--confidence", least) == both(*made)
    assert held(migrator, tree, "--confidence", least) == sorted(
        (path, 3) for path in both(*not_made)
    )


def test_a_transform_and_python_2_are_held_back_whole(
    migrator: Callable[..., Result], tmp_path: Path
) -> None:
    root = tmp_path / "r"
    root.mkdir()
    old = "print 'x'\n"
    (root / "old.py").write_text(old)
    (root / "requirements.txt").write_text("tensorflow==1.15\n")
    gpu = (
        "import tensorflow as tf\n\nconfig = tf.ConfigProto()\n"
        "config.gpu_options.allow_growth = True\nsess = tf.Session(config=config)\n"
    )
    (root / "gpu.py").write_text(gpu)
    every = changed(migrator, root)
    assert {"old.py", "requirements.txt", "gpu.py"} <= every
    assert not {"old.py", "requirements.txt"} & changed(migrator, root, "--confidence", "proven")
    places = {path for path, _ in held(migrator, root, "--confidence", "proven")}
    assert {"old.py", "requirements.txt", "gpu.py"} <= places


@pytest.mark.parametrize("where", ["setup.cfg", "pyproject.toml", "migrator.toml"])
def test_settings_for_some_files_only(
    migrator: Callable[..., Result], tree: Path, where: str
) -> None:
    tables = {
        "setup.cfg": "[migrator]\njobs = 1\n[migrator:tests/]\nconfidence = proven\n"
                     "[migrator:/likely.py]\nignore = PY2\n",
        "pyproject.toml": "[tool.migrator]\njobs = 1\n[[tool.migrator.overrides]]\n"
                          "files = ['tests/']\nconfidence = 'proven'\n"
                          "[[tool.migrator.overrides]]\nfiles = '/likely.py'\nignore = ['PY2']\n",
        "migrator.toml": "[[migrator.overrides]]\nfiles = ['tests/']\nconfidence = 'proven'\n"
                         "[[migrator.overrides]]\nfiles = '/likely.py'\nignore = ['PY2']\n",
    }  # fmt: skip
    (tree / where).write_text(tables[where])
    assert changed(migrator, tree) == {"sure.py", "review.py", "tests/sure.py"}
    # the command line wins, for all files
    assert changed(migrator, tree, "--confidence", "review") == both("sure", "likely", "review") - {
        "likely.py"
    }
    shown = migrator("migrate", tree, "--show-config").stdout
    assert f"({where})" in shown and "confidence for tests/" in shown
    said = migrator("migrate", tree, "--show-config", "--confidence", "likely").stdout
    assert "but the command line wins" in said


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("setup.cfg", "[migrator:tests/]\njobs = 3\n", "'jobs' cannot be set for some files"),
        ("setup.cfg", "[migrator]\nconfidence = sure\n", "not one of proven, likely, review"),
        ("pyproject.toml", "[[tool.migrator.overrides]]\nignore = ['X']\n", "needs files"),
        ("pyproject.toml", "[tool.migrator]\noverrides = 3\n", "must be tables"),
        ("migrator.toml", "[[migrator.overrides]]\nfiles = 'x'\nconfidence = 'a'\n", "not one of"),
    ],
)
def test_settings_that_cannot_be_used_are_named(
    migrator: Callable[..., Result], tree: Path, name: str, text: str, message: str
) -> None:
    (tree / name).write_text(text)
    said = migrator("migrate", tree, "--diff", code=2)
    assert message in said.stderr


def test_a_tree_without_tensorflow_is_left_alone(
    migrator: Callable[..., Result], tree: Path
) -> None:
    (tree / "uses.py").unlink()
    (tree / "old.py").write_text("print 'tensorflow'  # import tensorflow\n")
    (tree / "requirements.txt").write_text("tensorflow==1.15\n")
    assert changed(migrator, tree) == set()
    said = migrator("migrate", tree, "--diff", code=3)
    assert "No module here imports TensorFlow" in said.stderr
    assert "old.py" in changed(migrator, tree, "--select", "PY")
    # Python 2, and an import inside of a function, are seen
    (tree / "lazy.py").write_text("def f():\n    import tensorflow.contrib.slim as slim\n    print 1\n")
    assert both("sure", "likely", "review") < changed(migrator, tree)
