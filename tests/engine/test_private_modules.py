"""What a private module of TF 1 only imports is what was documented; what it lacks is reported."""

import ast

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.analysis.names import NameTable
from migrator.analysis.private_paths import public_path
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

HEAD = "from tensorflow.python.platform import gfile\n"


def test_names_that_a_private_module_imports() -> None:
    text = HEAD + "gfile.DeleteRecursively(x)\nf = gfile.Open(x)\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert (result.new_text or "").splitlines()[1:] == [
        "tf.io.gfile.rmtree(x)", "f = tf.io.gfile.GFile(x)"
    ]


def test_names_that_nobody_knows() -> None:
    text = HEAD + "gfile.Vanish(x)\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert "TF003" in {finding.code for finding in result.findings}


def test_a_module_that_is_only_private_keeps_its_import() -> None:
    text = "from tensorflow.python.keras import utils\nf(utils.metrics_utils)\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is None


CASES = {
    # a class of a private module
    "from tensorflow.python.client import session\ns = session.Session(graph=g)\nuse(s.list_devices())\n":
        "tensorflow.Session",
    # a package of contrib that passes on what its modules define
    "from tensorflow.contrib.framework.python.ops import add_arg_scope\n@add_arg_scope\ndef f(): pass\n":
        "tensorflow.contrib.framework.add_arg_scope",
    # a module that a public one happens to import
    "import tensorflow.contrib.slim as slim\nz = slim.init_ops.zeros_initializer()\n":
        "tensorflow.zeros_initializer",
    # what a private module has from another private one, itself without a public name
    "from tensorflow.python.ops import rnn\nrnn.nest.is_sequence(x)\n":
        "tensorflow.python.util.nest.is_sequence",
    # what is public by a package that lies at a private path, in one of its modules
    "from tensorflow.contrib.learn.python.learn.datasets import mnist\nd = mnist.DataSet(x, y)\n":
        "tensorflow.contrib.learn.datasets.mnist.DataSet",
    # objects that are neither functions nor classes
    "from tensorflow.python.framework import dtypes\nd = dtypes.float32\n": "tensorflow.float32",
}


@pytest.mark.parametrize("text", CASES)
def test_private_paths_are_read_as_the_public_symbol(text: str) -> None:
    names = NameTable.of(ast.parse(text))
    assert CASES[text] in set(names.referenced())


def test_the_support_package_takes_what_came_by_private_paths() -> None:
    text = (
        "import tensorflow.contrib.slim as slim\n"
        "from tensorflow.contrib.framework.python.ops import add_arg_scope\n"
        "@add_arg_scope\ndef f(x, init=slim.init_ops.zeros_initializer()):\n    return slim.conv2d(x, 3, 1)\n"
    )
    once = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options())).new_text or ""
    assert "from tf1_support.slim import add_arg_scope" in once
    assert "init=initializers.zeros_initializer()" in once
    assert migrate_text("m.py", once, ProjectIndex(), Options(), load_ruleset(Options())).new_text is None


def test_a_name_that_leads_in_circles_ends() -> None:
    assert public_path("tensorflow.python.ops.math_ops.math_ops.math_ops.nothing")
