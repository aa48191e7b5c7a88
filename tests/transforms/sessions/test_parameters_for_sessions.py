"""A parameter for a session that nothing needs goes, unless code of a library calls the function."""

from pathlib import Path

import pytest

from tests.transforms.projects import migrate_in_place

BASES = {
    "import tensorflow as tf\n\nBase = object\n": False,
    "import tensorflow as tf\nfrom tensorflow.keras.layers import Layer as Base\n": True,
    "import tensorflow as tf\nfrom tf1_support import keras_layers\n\nBase = keras_layers.Dense\n": True,
    "import tensorflow as tf\nfrom sonnet import Module as Base\n": True,
    "import tensorflow as tf\nfrom base import Plain as Base\n": False,
    "import tensorflow as tf\nfrom base import Net as Base\n": True,
}


@pytest.mark.parametrize("head", BASES)
def test_methods_that_a_library_calls_keep_theirs(head: str, tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text(
        "from sonnet import Module as Net\n\n\nclass Plain(object):\n  pass\n")
    (tmp_path / "net.py").write_text(
        f"{head}\n\nclass Net(Base):\n\n  def call(self, sess, x):\n    return x\n\n\n"
        "def use(net, sess):\n  return net.call(sess, 3)\n")
    migrate_in_place(tmp_path)
    text = (tmp_path / "net.py").read_text()
    assert ("def call(self, sess, x)" in text) == BASES[head]
