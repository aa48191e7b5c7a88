"""The renderer: what it cuts out runs alone, is complete, clean and the same every time."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.abc
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from migrator import resources, support
from migrator.support_source import CLASSES, INDEX, Module, Modules, cut
from tests.runtime.importable import ROOT

SYMBOLS = sorted(support.available())


@pytest.fixture(scope="module")
def rendered() -> dict[str, dict[str, str]]:
    """Symbol -> its package, as small as a program can make it."""
    return {symbol: support.render([symbol], names=()) for symbol in SYMBOLS}


@functools.cache
def compiled(text: str) -> CodeType:
    """The code of a module; one in eight is unlike those of all other packages."""
    return compile(text, "<rendered>", "exec")


class Importer(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of one package, which is called p, in memory."""

    def __init__(self, package: dict[str, str]) -> None:
        self.package = package

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        head, _, module = name.partition(".")
        if head != "p" or f"{module or '__init__'}.py" not in self.package:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=not module)

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__.partition(".")[2] or "__init__"
        exec(compiled(self.package[f"{name}.py"]), vars(module))

    def forget(self) -> None:
        """Takes the package out of the modules that are there."""
        for file in self.package:
            sys.modules.pop(f"p.{file.removesuffix('.py')}", None)
        sys.modules.pop("p", None)


def test_nothing_is_executed() -> None:
    """Rendering must not import TensorFlow."""
    code = (
        "import sys; from migrator import support; support.render(support.available());"
        "sys.exit('tensorflow' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


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


def test_of_a_class_only_what_somebody_reads() -> None:
    whole = support.render(["scopes.VariableStore"])["store.py"]
    for names, there, gone in (
        ((), ("def as_default", "def add_to_collection"), ("def set_initializer", "ASSET_FILEPATHS")),
        (("set_initializer",), ("def set_initializer",), ("def set_dtype",)),
        (("ASSET_FILEPATHS",), ("ASSET_FILEPATHS",), ("def set_initializer",)),
    ):
        text = support.render(["scopes.VariableStore", "scopes.add_to_collection"], names)["store.py"]
        assert all(word in text and word in whole for word in there)
        assert not any(word in text for word in gone) and all(word in whole for word in gone)
    # verify and measure ask a store for its variables, where there are any
    alone = support.render(["optimizers.AdamOptimizer"], ())
    assert "scopes.py" not in alone and "def as_default" not in alone["store.py"]
    both = support.render(["optimizers.AdamOptimizer", "scopes.get_variable"], ())
    assert "def as_default" in both["store.py"] and "def load_tf1_checkpoint" not in both["store.py"]
    # of a store they ask for its variables; a scope's are asked for by programs alone
    assert "def trainable_variables" in both["store.py"] and "def get_collection" not in both["store.py"]
    # what is asked for with its class, as a rule writes it, needs no other sign
    assert "LOCAL_INIT_OP" in support.render(["scopes.GraphKeys.LOCAL_INIT_OP"], ())["store.py"]


@pytest.mark.parametrize(
    "text",
    [
        "with tf.Graph().as_default():\n    pass\n", "from tensorflow import Graph\n", "make = tf.Graph\n",
        "getattr(tf, 'Graph')()\n", "tf.compat.v1.disable_eager_execution()\n",
        "g = tf.compat.v1.get_default_graph()\n", "@test_util.run_deprecated_v1\ndef test(): pass\n",
    ],
)
def test_what_builds_graphs_is_there_where_a_module_may_build_one(text: str) -> None:
    asked = ["scopes.get_variable"]
    assert "session_graphs.py" in support.render(asked, support.names_read(text))
    assert "session_graphs.py" in support.render(asked)
    assert "session_graphs.py" in support.render([*asked, "frozen_graph.FrozenGraph"], ())
    for other in ("x = scopes.get_variable('w', [])\n", "g = graphs.Graph()\n", "class Graphs: pass\n"):
        assert "session_graphs.py" not in support.render(asked, support.names_read(other))
    assert "session_graphs.py" not in support.render(["slim.l2_regularizer"], support.names_read(text))


def test_devices_are_there_where_a_module_names_one() -> None:
    asked = ["slim.conv2d", "slim.arg_scope"]
    scoped = "with slim.arg_scope([slim.variable], device=where):\n    pass\n"
    for text in (scoped, "o = {'device': '/cpu:0'}\n"):
        assert "class device" in support.render(asked, support.names_read(text))["devices.py"]
    assert "class device" in support.render(asked)["devices.py"]
    assert "devices.py" not in support.render(asked, support.names_read("y = slim.conv2d(x, 8, 3)\n"))


def test_a_device_that_nothing_named_when_it_was_rendered_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tensorflow")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in (("placed", "device"), ("unplaced", "")):
        (tmp_path / name).mkdir()
        for file, content in support.render(["slim.variable"], support.names_read(text)).items():
            (tmp_path / name / file).write_text(content)
    unplaced = importlib.import_module("unplaced.slim").variable
    assert unplaced("v", [2]).shape == [2]
    with pytest.raises(RuntimeError, match="migrate it again"):
        unplaced("w", [2], device="/cpu:0")
    placed = importlib.import_module("placed.slim").variable
    assert placed("w", [2], device="/cpu:0").device.endswith("CPU:0")


def test_a_graph_that_nothing_built_when_it_was_rendered_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tf = pytest.importorskip("tensorflow")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in (("builds", "tf.Graph()"), ("computes", "")):
        (tmp_path / name).mkdir()
        for file, content in support.render(["scopes.get_variable"], support.names_read(text)).items():
            (tmp_path / name / file).write_text(content)
    computes = importlib.import_module("computes.scopes")
    assert computes.get_variable("w", [2]).shape == [2]
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="migrate it again"):
        computes.get_variable("w", [2])
    with tf.Graph().as_default() as graph:
        made = importlib.import_module("builds.scopes").get_variable("w", [2])
    assert made.name == "w:0" and "w" in {op.name for op in graph.get_operations()}


SMALL = '''"""One."""

from .other import helper, unused_helper


def decorate(f):
    return f


class Base:
    """Documented."""

    limit = 3
    other = limit

    # about it
    def called(self):
        return helper(self)

    @decorate
    def unread(self):
        return unused_helper(self.deeper())

    def deeper(self):
        return 1

    @property
    def width(self):
        return 1

    @width.setter
    def width(self, value):
        self.kept = value

    def for_keras(self):
        return 2

    def new_since(self):
        return 3


class Small:
    def gone(self):
        return 0


def use(x: Base) -> Small:
    return getattr(x, "called")()
'''


def test_members_go_with_what_only_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "support"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""All."""\n')
    (folder / "one.py").write_text(SMALL)
    both = (f"def {name}(x):\n    return x\n" for name in ("helper", "unused_helper"))
    (folder / "other.py").write_text("\n\n".join(both))
    members = ["limit", "other", "called", "unread", "deeper", "width", "kept"]
    known = {**dict.fromkeys(members, False), "for_keras": True}
    (tmp_path / CLASSES).write_text(json.dumps({"one.Base": known, "one.Small": {"gone": False}}))
    package = support._Package(folder)
    monkeypatch.setattr(support, "_package", lambda: package)
    least = support.render(["one.use"], ())
    assert least["other.py"].count("def ") == 1
    assert least["one.py"].partition("\n\n\n")[2] == '''class Base:
    """Documented."""

    # about it
    def called(self):
        return helper(self)

    def for_keras(self):
        return 2

    def new_since(self):
        return 3


class Small:
    pass


def use(x: Base) -> Small:
    return getattr(x, "called")()
'''
    more = support.render(["one.use"], ("unread", "width", "other"))
    assert more["other.py"].count("def ") == 2
    assert more["one.py"].partition("\n\n\n")[2] == SMALL.partition("\n\n\n")[2].replace(
        "    def gone(self):\n        return 0\n", "    pass\n"
    )
    assert support.render(["one.use"])["one.py"].endswith(SMALL.partition("\n\n\n")[2])


def test_what_is_read_of_things_that_are_not_the_packages() -> None:
    text = """
class Names:
    ONE = "one"


def use(graph: tf.Graph, other: Thing):
    inner: tf.Graph = graph.two
    return inner.three, getattr(inner, "four"), other.five, getattr(other, "six")
"""
    names, use = cut("some", text, frozenset()).statements
    assert names.members[0].reads == set() and use.reads == {"Graph", "five", "six"}  # of the annotation


def test_what_a_text_may_read() -> None:
    text = "x.set_dtype(y)\ngetattr(x, 'set_partitioner')\n# set_caching_device\nz = {\"a\": x . replaced}\n"
    assert support.names_read(text) == {"set_dtype", "set_partitioner", "replaced"}
    assert support.names_read('{"source": ["x.set_dtype(\\"set_partitioner\\")"]}') == {
        "set_dtype", "set_partitioner"
    }  # fmt: skip
    continued = "train = Adam(0.1).\\\n    minimize(loss)\ny = (a.  # of a\n     set_dtype(b))\n"
    assert support.names_read(continued) == {"minimize", "set_dtype"}


@pytest.mark.slow
def test_the_members_of_classes_are_those_of_the_modules() -> None:
    """Else: PYTHONPATH=. python rules/tools/make_support_index.py"""
    pytest.importorskip("tensorflow")
    code = (
        "import json, sys; sys.path.insert(0, 'rules/tools'); import make_support_index as m\n"
        "print(json.dumps(m.classes(m.resources.templates_dir() / 'support')))"
    )
    root = ROOT
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=root, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    known = json.loads((resources.templates_dir() / CLASSES).read_text())
    assert json.loads(done.stdout.splitlines()[-1]) == known


def test_deeper_names_and_the_order_do_not_matter() -> None:
    once = support.render(["scopes.GraphKeys.LOSSES", "slim.conv2d"])
    assert once == support.render(["slim.conv2d", "scopes.GraphKeys", "slim.conv2d"])


@pytest.mark.parametrize("symbol", ["slim.no_such_layer", "nowhere.conv2d", "slim._private"])
def test_unknown_symbol(symbol: str) -> None:
    with pytest.raises(support.UnknownSymbol, match=symbol.replace(".", r"\.")):
        support.render([symbol])


def test_ruff_finds_nothing(rendered: dict[str, dict[str, str]], tmp_path: Path) -> None:
    """In a module as in each package that has it: they import one another by relative names alone."""
    modules = {module for package in rendered.values() for module in package.items()}
    for number, (name, text) in enumerate(modules):
        (tmp_path / f"m{number}").mkdir()
        (tmp_path / f"m{number}" / name).write_text(text, encoding="utf-8")

    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"])
    if ruff is None:
        pytest.skip("ruff is not installed")
    rules = ["--isolated", "--select", "E,F,I,W,UP", "--line-length", "110", "--target-version"]
    result = subprocess.run(
        [ruff, "check", *rules, "py311", "--output-format", "concise", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


def test_every_symbol_imports_alone(
    rendered: dict[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tensorflow")
    for symbol, package in rendered.items():
        module, *path = symbol.split(".")
        importer = Importer(package)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "meta_path", [importer, *sys.meta_path])
            try:
                found = importlib.import_module(f"p.{module}")
                for part in path:
                    found = getattr(found, part)
            finally:
                importer.forget()
