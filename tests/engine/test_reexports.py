"""Names that a module only has from another module of the project: by star, by name, as attributes."""

from __future__ import annotations

import pytest

from migrator.analysis.facts import load_facts
from migrator.analysis.index import ProjectIndex
from migrator.analysis.module_summary import ModuleSummary
from migrator.analysis.reexports import brought, taken
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset
from migrator.model import FileResult

LAYERS = "import numpy as np\nimport tensorflow as tf\nimport tensorflow.contrib.slim as slim\n"


def index_of(files: dict[str, str]) -> ProjectIndex:
    facts = load_facts()
    return ProjectIndex.assemble({p: ModuleSummary.of(p, text, facts) for p, text in files.items()})


def migrated(files: dict[str, str]) -> dict[str, FileResult]:
    index, rules = index_of(files), load_ruleset(Options())
    return {p: migrate_text(p, text, index, Options(), rules) for p, text in files.items()}


def settled(files: dict[str, str]) -> dict[str, str]:
    """The texts after a migration, which a second one leaves as they are."""
    once = {p: r.new_text or files[p] for p, r in migrated(files).items()}
    assert [p for p, r in migrated(once).items() if r.new_text is not None] == []
    return once


def test_a_star_import_brings_tensorflow() -> None:
    model = "from layers import *\n\ndef f(x):\n    return slim.flatten(tf.log(x)) + np.float(1)\n"
    once = settled({"layers.py": LAYERS, "model.py": model})
    assert once["model.py"] == (
        "from layers import *\nfrom tf1_support import slim\n\ndef f(x):\n"
        "    return slim.flatten(tf.math.log(x)) + float(1)\n"
    )
    assert "import tensorflow as tf" in once["layers.py"]  # others need it, though nothing here does


def test_stars_of_stars_and_relative_ones() -> None:
    once = settled({
        "net/__init__.py": "from .parts import *\n", "net/parts.py": LAYERS,
        "use.py": "from net import *\nx = tf.log(2.)\n",
    })  # fmt: skip
    assert once["use.py"] == "from net import *\nx = tf.math.log(2.)\n"


def test_imports_by_name_and_attributes() -> None:
    once = settled({
        "layers.py": LAYERS, "a.py": "from layers import tf, slim\ntf.log(x)\nslim.flatten(x)\n",
        "b.py": "import layers\nlayers.tf.log(x)\nlayers.tf.nn.relu(x)\nlayers.slim.flatten(x)\n",
    })  # fmt: skip
    assert once["a.py"] == (
        "from layers import tf\nfrom tf1_support import slim\ntf.math.log(x)\nslim.flatten(x)\n"
    )
    assert once["b.py"].splitlines()[-3:] == [
        "tf.math.log(x)", "layers.tf.nn.relu(x)", "slim.flatten(x)"
    ]


def test_what_nothing_changes_stays_as_it_was() -> None:
    files = {"layers.py": LAYERS, "m.py": "from layers import *\n\nx = tf.nn.relu(1.)\n"}
    assert migrated(files)["m.py"].new_text is None


def test_names_that_are_the_modules_own_are_not_followed() -> None:
    files = {"layers.py": LAYERS + "def slim(x): return x\n", "m.py": "from layers import *\nslim.log(x)\n"}
    assert migrated(files)["m.py"].new_text is None


def test_names_that_are_the_modules_own_on_some_ways_are_not_followed() -> None:
    layers = "if new:\n  from .own import flatten\nelse:\n  from tensorflow.contrib.layers import flatten\n"
    files = {
        "net/__init__.py": "", "net/own.py": "def flatten(x): return x\n", "net/layers.py": layers,
        "net/m.py": "from .layers import flatten\nflatten(x)\n",
    }  # fmt: skip
    assert migrated(files)["net/m.py"].new_text is None


def test_modules_that_import_each_other_end() -> None:
    index = index_of({"a.py": "from b import *\nx\n", "b.py": "from a import *\ny\n"})
    assert brought(index, "a.tf", "a.py") is None
    assert taken(index, "a.py") == frozenset()


@pytest.mark.parametrize("head", ["from elsewhere import *\n", "from a import *\nfrom b import *\n"])
def test_a_star_that_leads_out_of_the_tree_is_told(head: str) -> None:
    found = migrated({"m.py": head + "x = tf.log(2.)\n"})["m.py"].findings
    assert [f.code for f in found] == ["TF004"]
    assert not migrated({"m.py": head + "x = tf_log(2.)\n"})["m.py"].findings


def test_a_name_that_may_be_the_projects_own_stays_where_it_comes_from() -> None:
    """A copy of a contrib function for newer versions, and the function itself for older ones."""
    files = {
        "pkg/__init__.py": "",
        "pkg/own.py": "def conv2d(x):\n    return x\n",
        "pkg/utils.py": (
            "import os\nif os.environ.get('NEW'):\n    from .own import conv2d\n"
            "else:\n    from tensorflow.contrib.layers import conv2d\n"
        ),
        "pkg/model.py": "from .utils import conv2d\n\ndef f(x):\n    return conv2d(x, 3)\n",
    }
    once = settled(files)
    assert once["pkg/model.py"] == files["pkg/model.py"]
    assert "    from tf1_support.slim import conv2d\n" in once["pkg/utils.py"]


def test_a_class_that_saves_by_a_session_of_others_is_known_where_tensorflow_comes_by_a_star() -> None:
    model = (
        "from layers import *\n\n\nclass Model(object):\n    def __init__(self):\n"
        "        self.w = tf.get_variable('w', [2])\n\n    def save(self, sess):\n"
        "        saver = tf.train.Saver()\n        saver.save(sess, 'model.ckpt')\n"
    )
    train = (
        "import tensorflow as tf\nfrom model import Model\n\nmodel = Model()\n"
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n    model.save(sess)\n"
    )
    once = settled({"layers.py": LAYERS, "model.py": model, "train.py": train})
    named = model.replace("from layers import *", "import tensorflow as tf")
    assert "saver.save('model.ckpt')" in once["model.py"]
    assert "saver.save('model.ckpt')" in settled({"model.py": named, "train.py": train})["model.py"]
