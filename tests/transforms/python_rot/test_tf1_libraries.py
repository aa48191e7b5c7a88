"""Libraries that need TensorFlow 1 themselves: a finding at each import, none where the tree has its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.transforms.tf1_libraries import CODE, libraries

_IMPORTS = {
    "import tflearn\n": [1],
    "import os, tflearn as tfl\nnet = tfl.input_data([None, 3])\n": [1],
    "def build():\n    from tflearn.layers.core import fully_connected\n    return fully_connected\n": [2],
    "import sugartensor as tf\ny = tf.nn.relu(3.0)\n": [1],
    "from edward.models import Normal\nfrom prettytensor import wrap\n": [1, 2],
    "import keras_resnet.models\nimport keras_vggface\n": [1, 2],
    "from .tflearn import layers\n": [],
    "import mytflearn\nname = 'tflearn'\n": [],
    "import tflearn  # migrator: ignore\n": [],
}


def _found(tree: Path) -> list[tuple[str, int]]:
    plan = build_plan(tree, Options(jobs=1))
    return sorted((f.path, f.line) for result in plan.files for f in result.findings if f.code == CODE)


@pytest.mark.parametrize("text", _IMPORTS)
def test_an_import_asks_for_a_person(tmp_path: Path, text: str) -> None:
    (tmp_path / "program.py").write_text(text)
    assert _found(tmp_path) == [("program.py", line) for line in _IMPORTS[text]]


def test_a_library_in_the_tree_is_migrated_itself(tmp_path: Path) -> None:
    (tmp_path / "tflearn").mkdir()
    (tmp_path / "tflearn" / "__init__.py").write_text("import tensorflow as tf\nx = tf.log(1.0)\n")
    (tmp_path / "program.py").write_text("import tflearn\n")
    assert _found(tmp_path) == []


def test_every_library_says_why_and_what_instead() -> None:
    for row in libraries().values():
        assert set(row) - {"fails"} == {"why", "advice"} and all(row.values())
