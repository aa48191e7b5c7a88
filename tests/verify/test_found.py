"""`verify` without a description: modules, --help, tests, model files, and what is left out."""

from __future__ import annotations

import ast
import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from migrator import verify
from migrator.cli.main import cli
from migrator.model import to_jsonable
from migrator.report import orders
from migrator.verify import found, module_checks, test_checks
from migrator.verify.children import Side
from migrator.verify.records import Check, Status
from migrator.workload.spec import Workload

pytestmark = pytest.mark.timeout(600)

SCRIPTS = {
    "plain.py": ("def f(x):\n    return x\nSIZE = max(1, 2)\n", None),
    "guarded.py": ("def main():\n    pass\nif __name__ == '__main__':\n    main()\n", (False, True)),
    "options.py": (
        "import argparse\nif __name__ == '__main__':\n    argparse.ArgumentParser().parse_args()\n",
        (True, True),
    ),
    "bare.py": ("import tensorflow as tf\nFLAGS = tf.app.flags.FLAGS\ndef main(_): pass\ntf.app.run()\n",
                (True, False)),
    "parses.py": ("import argparse\nargs = argparse.ArgumentParser().parse_args()\n", (True, False)),
    "session.py": ("import tensorflow as tf\nwith tf.Session() as s:\n    s.run(1)\n", (False, False)),
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_a_script(name: str) -> None:
    text, expected = SCRIPTS[name]
    script = found.script_of(name, ast.parse(text))
    assert (script and (script.options, script.guarded)) == expected


def test_roots_of_a_module() -> None:
    assert module_checks.roots("a.py") == [""]
    assert module_checks.roots("a/b/c.py") == ["", "a", "a/b"]


ORIGINAL = {
    "net/__init__.py": "",
    "net/layers.py": "import tensorflow as tf\n\n\ndef dense(x, units, name=None):\n    return x\n\n\n"
                     "class Layer(object):\n    def __init__(self, units):\n        pass\n\n"
                     "    def call(self, x):\n        return x\n",
    "net/broken.py": "import no_such_package_anywhere\n",
    "tools/helper.py": "VALUE = 3\n",
    "tools/use.py": "import helper\nassert helper.VALUE == 3\n",
    "train.py": "import argparse\n\nimport net.layers\n\nparser = argparse.ArgumentParser()\n"
                "parser.add_argument('--steps')\nparser.add_argument('--rate')\n\n\n"
                "if __name__ == '__main__':\n    parser.parse_args()\n",
    "run.py": "import tensorflow as tf\nflags = tf.app.flags\nflags.DEFINE_integer('depth', 3, 'Deep.')\n\n\n"
              "def main(_):\n    open('ran', 'w').close()\n\n\ntf.app.run()\n",
    "old.py": "print 'Python 2'\n", "tools/kind.py": "KIND = 1\n", "net/kind.py": "KIND = 1\n",
    "net/drawn.py": "DRAWN = 1\n",
    "test_all.py": "def test_one():\n    assert True\n",
}  # fmt: skip
MIGRATED = {
    **ORIGINAL,
    "net/layers.py": ORIGINAL["net/layers.py"].replace("units, name=None", "units")
                                              .replace("call(", "compute("),
    "tools/helper.py": "VALUE = 4\n", "tools/support.py": "", "net/support.py": "",
    # what comes with the program lies where a script starts, and that is no package
    "tools/kind.py": "import support\nKIND = 1\n", "net/kind.py": "import support\nKIND = 1\n",
    "train.py": ORIGINAL["train.py"].replace("--rate", "--speed"),
    "run.py": "from absl import app, flags\nflags.DEFINE_integer('depth', 3, 'Deep.')\n\n\n"
              "def main(_):\n    open('ran', 'w').close()\n\n\napp.run(main)\n",
    "test_all.py": "def test_one():\n    assert False\n",
    "net/drawn.py": "import no_such_package_either\n",
}  # fmt: skip


def lay_out(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Check]:
    """What `verify` says of a repository with one fault of every kind."""
    pytest.importorskip("tensorflow")
    folder = tmp_path_factory.mktemp("bare")
    before, after = lay_out(folder / "before", ORIGINAL), lay_out(folder / "after", MIGRATED)
    runner = CliRunner(env={"MIGRATOR_TF1_PYTHON": "", "PATH": os.defpath, "COLUMNS": "200"})
    result = runner.invoke(
        cli, ["verify", str(after), "--before", str(before), "--out", str(folder), "--json"]
    )
    assert result.exit_code == 1, result.output
    assert not list(folder.rglob("ran"))  # nothing was run for real
    told = json.loads((folder / "verify.json").read_text())["checks"]
    return {
        (c["workload"], c["name"]): Check(**{**c, "status": Status(c["status"])}) for c in told
    }


def test_modules_that_do_not_import_any_more(checks: dict[tuple[str, str], Check]) -> None:
    found = checks["imports", "modules"]
    assert found.status is Status.DIFFERS
    lines = found.detail.splitlines()
    assert lines[0] == "5 of 7 modules that import before import after"
    assert lines[1].startswith("net/kind.py: ModuleNotFoundError")
    assert lines[2].startswith("tools/use.py: AssertionError") and "tools/use.py:2" in lines[2]
    assert lines[3].startswith("tools/kind.py: from tools only")
    assert checks["imports", "modules of the original"].status is Status.NOT_RUN
    assert "net/broken.py: ModuleNotFoundError" in checks["imports", "modules of the original"].detail


def test_a_package_that_is_not_installed_is_no_difference(checks: dict[tuple[str, str], Check]) -> None:
    found = checks["imports", "packages"]
    assert found.status is Status.NOT_RUN and found.left
    said, module = found.detail.splitlines()
    assert said.startswith("1 of them needs packages that ") and said.endswith(": no_such_package_either")
    assert module == "net/drawn.py: no_such_package_either"
    left = [o.title for o in orders.checks({"checks": [to_jsonable(c) for c in checks.values()]})]
    assert "imports, packages: not run" in left
    assert "imports, modules of the original: not run" not in left


def test_what_is_called_in_another_way_is_told(checks: dict[tuple[str, str], Check]) -> None:
    detail = checks["imports", "modules"].detail
    assert "2 of 3 functions, classes and methods in them are called in another way" in detail
    assert "net/layers.py: dense(x, units, name=) is now dense(x, units)" in detail
    assert "net/layers.py: Layer.call(self, x) is not there any more" in detail


def test_an_option_that_was_lost(checks: dict[tuple[str, str], Check]) -> None:
    found = checks["--help", "scripts"]
    assert found.status is Status.DIFFERS and "train.py: lost --rate" in found.detail
    assert "1 of 2 scripts" in found.detail  # run.py has its --depth


def test_a_test_that_fails(checks: dict[tuple[str, str], Check]) -> None:
    assert "0 of 1 tests" in checks["unit tests", "unit tests"].detail


def test_what_is_left_out_is_said(checks: dict[tuple[str, str], Check]) -> None:
    assert "--run 'python train.py'" in checks["not compared", "programs"].detail
    assert "run.py" in checks["not compared", "scripts without a main"].detail
    assert "old.py" in checks["not compared", "Python 2 modules"].detail
    assert all(c.status is Status.NOT_RUN for (w, _), c in checks.items() if w == "not compared")


def test_model_files(repositories: tuple[Path, Path], tmp_path: Path) -> None:
    """The checkpoint by its variables; the frozen graph on inputs of the shape that it says."""
    pair = tmp_path / "before", tmp_path / "after"
    for source, target in zip(repositories, pair, strict=True):
        shutil.copytree(source, target)
        shutil.rmtree(target / "tests")
        (target / "models").mkdir()
        (target / "models" / "pointer.pb").write_text("version https://git-lfs.github.com/spec/v1\n")
        (target / "models" / "damaged.pb").write_bytes(b"\xff\xff")
        (target / "models" / "net.h5").write_bytes(b"")
    named = found.find(pair[0], Side.after(pair[1]))
    models = [w for w in named.workloads if w.kind in ("frozen_graph", "checkpoint")]
    assert [(w.kind, w.path) for w in models] == [
        ("checkpoint", "model.ckpt"), ("frozen_graph", "frozen.pb")
    ]  # fmt: skip
    assert models[1].fetches and models[1].inputs
    left_out = {c.name: c.detail for c in named.missing}
    assert "models/damaged.pb" in left_out and "models/pointer.pb" not in left_out
    assert "models/net.h5" in left_out["Keras files"]
    verified = verify.run(*pair, models, verify.Reference("compat", "compat"))
    assert verified.ok, verified.checks
    (variables,) = [c for c in verified.checks if c.name == "variables"]
    assert "7 of 7 variables compared" in variables.detail


def test_an_empty_repository(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["verify", str(tmp_path)])
    assert result.exit_code == 2 and "no Python module" in result.output


def test_tests_say_how_far_they_are(tmp_path: Path) -> None:
    """One test after the other, while the rest still run."""
    pytest.importorskip("tensorflow")
    slow = "import time\n" + "\n".join(f"def test_{i}():\n    time.sleep(0.7)\n" for i in range(5))
    (tmp_path / "test_slow.py").write_text(slow)
    said: list[tuple[int, int, str]] = []
    side = Side.before(tmp_path, verify.Reference("compat", "compat"))
    test_checks.outcomes(
        Workload("t", "tests", paths=("*.py",)), side, ["test_slow.py"],
        lambda *told: said.append(told),
    )  # fmt: skip
    assert len({done for done, _, _ in said}) >= 2 and said[-1][1] == 5
    assert said[-1][2].startswith("test_slow.py::test_")
