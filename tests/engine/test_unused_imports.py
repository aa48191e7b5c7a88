"""Imports that an edit leaves without a use."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.plan import build_plan
from migrator.engine.ruleset import load_ruleset

TF = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TF + "from tensorflow.contrib import slim, rnn\nx = tf.nn.relu(1.0)\ny = tf.log(x)\n",
         TF + "x = tf.nn.relu(1.0)\ny = tf.math.log(x)\n"),
        (TF + "import tensorflow.contrib.slim as slim\nF = tf.flags.FLAGS\n",
         "from absl import flags\nF = flags.FLAGS\n"),
        ("import tensorflow\nF = tensorflow.flags.FLAGS\n", "from absl import flags\nF = flags.FLAGS\n"),
        (TF + "import keras.backend as K\nfrom keras import backend\ny = K.square(tf.abs(x))\n",
         TF + "from tensorflow.keras import backend as K\nfrom keras import backend\n"
         "y = K.square(tf.abs(x))\n"),
        (TF + "from tensorflow.keras.callbacks import EarlyStopping, ModelCheckpoint as Kept\n"
         "x = [EarlyStopping(), Kept('a.hdf5'), tf.log(1.0)]\n",
         TF + "from tensorflow.keras.callbacks import EarlyStopping\nfrom tf1_support import keras_files\n"
         "x = [EarlyStopping(), keras_files.ModelCheckpoint('a.hdf5'), tf.math.log(1.0)]\n"),
        # not where a name may be looked up, stands in a text, or was unused before
        (TF + "y = tf.contrib.slim.conv2d(eval('x'), 3)\n",
         TF + "from tf1_support import slim\ny = slim.conv2d(eval('x'), 3)\n"),
        (TF + "F = tf.flags.FLAGS\nRULE = 'tf.nn.relu'\n",
         TF + "from absl import flags\nF = flags.FLAGS\nRULE = 'tf.nn.relu'\n"),
        (TF + "__all__ = ['tf']\nF = tf.flags.FLAGS\n",
         TF + "from absl import flags\n__all__ = ['tf']\nF = flags.FLAGS\n"),
        (TF + "import os\nimport numpy as np\ny = np.zeros(np.float(1))\n",
         TF + "import os\nimport numpy as np\ny = np.zeros(float(1))\n"),
        (TF.rstrip() + "  # noqa\nF = tf.flags.FLAGS\n",
         TF.rstrip() + "  # noqa\nfrom absl import flags\nF = flags.FLAGS\n"),
    ],
)  # fmt: skip
def test_what_goes(before: str, after: str) -> None:
    result = migrate_text("a.py", before, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text == after


@pytest.mark.parametrize(
    ("head", "told"), [("", 0), ("x = globals()\n", 1), ("__all__ = ['imshow', 'a']\n", 1)])
def test_what_is_gone_and_nobody_asks_for_goes_without_a_word(head: str, told: int) -> None:
    before = TF + "from scipy.misc import imshow\nfrom tensorflow.contrib.image.python.ops import image_ops\n"
    rest = head + "a = tf.log(1.0)\n"
    result = migrate_text("a.py", before + rest, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is not None and result.new_text.endswith(rest.replace("tf.log", "tf.math.log"))
    assert [f.symbol for f in result.findings if "imported but" in f.message] == [
        "scipy.misc.imshow", "tf.contrib.image.python.ops.image_ops"][: 2 * told]


@pytest.mark.parametrize(
    "user", ["from layers import *\nprint(tf.nn.relu(1.0))\n",
             "from layers import tf\nprint(tf.nn.relu(1.0))\n",
             "import layers\nprint(layers.tf.nn.relu(1.0))\n",
             "import layers\ntf = layers.tf\nprint(tf.nn.relu(1.0))\n"])  # fmt: skip
def test_what_other_modules_have_from_here_stays(tmp_path: Path, user: str) -> None:
    (tmp_path / "layers.py").write_text(TF + "F = tf.flags.FLAGS\n")
    (tmp_path / "user.py").write_text(user)
    plan = build_plan(tmp_path, Options(jobs=1))
    (made,) = (r.new_text for r in plan.files if r.path == "layers.py")
    assert made is not None and made.startswith(TF)
