"""Programs of TensorFlow 1's eager mode: variables, gradients of functions, updates of layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transforms.projects import migrate_in_place


def migrated(folder: Path, **modules: str) -> str:
    """What the module `a` becomes among others."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    migrate_in_place(folder)
    return (folder / "a.py").read_text()


VARIABLES = """import tensorflow as tf
tf.enable_eager_execution()
tfe = tf.contrib.eager
v = tfe.Variable(1.0)
gradients = tfe.implicit_gradients(lambda x: x * v)
optimizer = tf.train.AdagradOptimizer(0.1)
optimizer.apply_gradients(gradients(2.0))
"""


def test_a_variable_of_the_eager_module_is_tensorflows_own(tmp_path: Path) -> None:
    after = migrated(tmp_path, a=VARIABLES)
    assert "v = tf.Variable(1.0)" in after
    assert "from tf1_support import eager as tfe" in after


NET = """import tensorflow as tf
norm = tf.{}.BatchNormalization()
"""
MAIN = """import tensorflow as tf
import net
tf.enable_eager_execution()
print(net.norm(tf.ones([2, 2]), training=True))
"""


@pytest.mark.parametrize("layers", ["layers", "keras.layers"])
def test_averages_move_in_each_call(layers: str, tmp_path: Path) -> None:
    after = migrated(tmp_path, net=NET.format(layers), a=MAIN)
    assert ("store.update_at_once()" in after) == (layers == "layers")
    assert "enable_eager" not in after
