"""Names written for TF 2 in a program of TF 1, and programs that hold a variant for either."""

from __future__ import annotations

import subprocess
import sys

import pytest

from migrator.analysis.index import ProjectIndex, summaries_from_texts
from migrator.analysis.names import canonical
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset
from migrator.model import FileResult
from migrator.resources import templates_dir

HEAD = "import tensorflow.compat.v1 as tf\nimport tensorflow.compat.v2 as tf2\n"


def migrated(text: str) -> FileResult:
    """`text` under the shipped rules; a second run must find nothing to do."""
    rules = load_ruleset(Options())
    result = migrate_text("program.py", text, ProjectIndex(), Options(), rules)
    again = migrate_text("program.py", result.new_text or text, ProjectIndex(), Options(), rules)
    assert not again.changes
    return result


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # what means the same in both versions needs no prefix
        ("tf.compat.v2.init_scope()", "tf.init_scope()"),
        ("table = tf.compat.v2.lookup.StaticHashTable(a, b)",
         "table = tf.lookup.StaticHashTable(a, b)"),
        # what TF 1 has under the same name, and would be taken for it, keeps the prefix
        ("tf.compat.v2.where(c, x, y)", "tf.compat.v2.where(c, x, y)"),
        ("tf.compat.v2.image.resize(x, s)", "tf.compat.v2.image.resize(x, s)"),
        ("tf.compat.v2.summary.scalar(n, v, step=s)", "tf.compat.v2.summary.scalar(n, v, step=s)"),
        # TF 1 by way of TF 2 is TF 1
        ("tf.compat.v2.compat.v1.log(x)", "tf.math.log(x)"),
    ],
)  # fmt: skip
def test_names_of_version_2(before: str, after: str) -> None:
    result = migrated("import tensorflow.compat.v1 as tf\n" + before + "\n")
    assert (result.new_text or "").split("\n", 1) == ["import tensorflow as tf", after + "\n"]


def test_a_file_for_version_2_imports_tensorflow() -> None:
    text = "import tensorflow.compat.v2 as tf\nx = tf.constant(1)\ny = tf.compat.v1.log(x)\n"
    new = "import tensorflow as tf\nx = tf.constant(1)\ny = tf.math.log(x)\n"
    assert migrated(text).new_text == new


def test_an_import_stays_where_a_name_would_be_taken_for_version_1() -> None:
    text = "import tensorflow.compat.v2 as tf\nx = tf.where(c, a, b)\ny = tf.compat.v1.log(x)\n"
    assert migrated(text).new_text == text.replace("compat.v1.log", "math.log")


def test_unknown_names_of_version_2_are_said() -> None:
    result = migrated(HEAD + "tf2.no_such_thing()\n")
    assert [(f.code, f.line) for f in result.findings] == [("TF003", 3)]
    assert "tf2.no_such_thing()" in (result.new_text or "")


def test_canonical_names() -> None:
    assert canonical("tensorflow.compat.v2.compat.v1.nn.relu") == ("tensorflow.nn.relu", True)
    assert canonical("tensorflow.compat.v2.nn.relu") == ("tensorflow.compat.v2.nn.relu", False)


def test_the_variant_that_ran_is_kept() -> None:
    text = (
        "import tensorflow.compat.v1 as tf\n"
        "from tensorflow.python import tf2\n"
        "if not tf2.enabled():\n"
        "  from tensorflow.contrib import lookup as contrib_lookup\n"
        "def table(init):\n"
        "  if isinstance(init, dict):\n"
        "    lookup = tf.compat.v2.lookup\n"
        "  else:\n"
        "    lookup = contrib_lookup\n"
        "  return contrib_lookup.HashTable(lookup.KeyValueTensorInitializer(*init), -1)\n"
    )
    result = migrated(text)
    assert result.new_text == (
        "import tensorflow as tf\n"
        "from tf1_support import tf2\n"
        "if not tf2.enabled():\n"
        "  from tensorflow import lookup as contrib_lookup\n"
        "def table(init):\n"
        "  if isinstance(init, dict):\n"
        "    lookup = tf.compat.v2.lookup\n"
        "  else:\n"
        "    lookup = contrib_lookup\n"
        "  return contrib_lookup.StaticHashTable(lookup.KeyValueTensorInitializer(*init), -1)\n"
    )
    assert [(f.code, f.line) for f in result.findings] == [("TF150", 3)]
    assert "TF2_VARIANT=1" in result.findings[0].advice


def test_keras_from_the_sources_of_tensorflow() -> None:
    text = (
        "from tensorflow.python.keras.layers import Dense\n"
        "from tensorflow.python.keras import backend as K\n"
        "x = Dense(K.epsilon())\n"
    )
    assert migrated(text).new_text == text.replace("tensorflow.python.", "tensorflow.")


def test_what_only_the_sources_have_keeps_its_import() -> None:
    text = "from tensorflow.python.keras import backend as K\nK.is_tpu_strategy(s)\n"
    assert migrated(text).new_text is None


def test_the_variant_is_version_1_unless_asked() -> None:
    """In a process of its own that has imported TensorFlow 2, which sets TF2_BEHAVIOR."""
    pytest.importorskip("tensorflow")
    program = (
        "import tensorflow, tf2, os\n"
        "found = [tf2.enabled()]\n"
        "os.environ['TF2_VARIANT'] = '1'; found.append(tf2.enabled())\n"
        "tf2.disable(); found.append(tf2.enabled())\n"
        "tf2.enable(); found.append(tf2.enabled())\n"
        "print(found)\n"
    )
    folder = templates_dir() / "support"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[False, True, False, True]"


SONNET_1 = """import tensorflow as tf
import sonnet as snt
class Net(snt.AbstractModule):
    def _build(self, x):
        return snt.Linear(3)(x)
"""
SONNET_2 = """import tensorflow as tf
import sonnet as snt
class Net(snt.Module):
    def __call__(self, x):
        return snt.Linear(3)(x)
"""


def test_sonnet_of_version_1() -> None:
    new = SONNET_1.replace("import sonnet as snt", "from tf1_support import sonnet as snt")
    assert migrated(SONNET_1).new_text == new


def test_a_later_sonnet_is_left_alone() -> None:
    result = migrated(SONNET_2)
    assert result.new_text is None and not result.findings


def test_what_the_support_package_lacks_of_sonnet_is_said() -> None:
    result = migrated(SONNET_1 + "cell = snt.LSTM(3)\n")
    assert [(f.code, f.line) for f in result.findings] == [("TF003", 6)]


CHOOSING = "import tensorflow.compat.v1 as tf\ndef f(x):\n  return x if tf.executing_eagerly() else 1\n"


@pytest.mark.parametrize(
    ("other", "new"),
    [
        ("from tensorflow.python import tf2\nnew = tf2.enabled()\n", "tf2.executing_eagerly()"),
        ("from tf1_support import tf2\nnew = tf2.enabled()\n", "tf2.executing_eagerly()"),
        ("import tensorflow as tf\n", "tf.executing_eagerly()"),
    ],
)
def test_eager_execution_goes_with_the_variant(other: str, new: str) -> None:
    texts = {"chooses.py": CHOOSING, "other.py": other}
    for _ in range(2):  # the second run changes nothing
        index = ProjectIndex.assemble(summaries_from_texts(texts))
        rules = load_ruleset(Options())
        for path, text in texts.items():
            result = migrate_text(path, text, index, Options(), rules)
            texts[path] = result.new_text or text
        assert f"return x if {new} else 1" in texts["chooses.py"]
        assert ("from tf1_support import tf2" in texts["chooses.py"]) == new.startswith("tf2.")


def test_entries_for_version_2_stay_so() -> None:
    texts = {
        "main.py": "import tensorflow.compat.v2 as tf\ntf.enable_v2_behavior()\nx = tf.constant(1)\n",
        "old.py": "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\nx = tf.constant(1)\n",
        "other.py": "from tensorflow.python import tf2\nnew = tf2.enabled()\n",
    }
    index, rules = ProjectIndex.assemble(summaries_from_texts(texts)), load_ruleset(Options())
    new = {
        path: migrate_text(path, text, index, Options(), rules).new_text or ""
        for path, text in texts.items()
    }
    assert "tf2.enable()\n" in new["main.py"] and "tf2.disable()\n" in new["old.py"]
    assert "import tensorflow as tf\n" in new["main.py"]
    alone = migrate_text("main.py", texts["main.py"], ProjectIndex(), Options(), rules)
    assert alone.new_text == "import tensorflow as tf\nx = tf.constant(1)\n"


def test_a_support_module_passed_on_is_rendered_whole() -> None:
    text = "import tensorflow.contrib.slim as slim\nslim.conv2d(x, 1, 2)\n"
    assert migrated(text).support == {"slim.conv2d"}
    assert migrated(text + "layer = getattr(slim, name)\n").support == {"slim", "slim.conv2d"}
