"""What a migrated repository's variables are called, with a store and without."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from migrator.support import render

OWN = """import tensorflow as tf
w = tf.Variable([1.0], name="w")
a = tf.Variable(1.0)
b = tf.Variable(2, trainable=False)
"""
STORED = "from tf1_support import scopes\n\n\ndef make():\n    return scopes.get_variable('w', [1])\n"
LAYERED = """import tensorflow as tf
from tf1_support import scopes


def made():
    layer = tf.keras.layers.Dense(2)
    layer.build([None, 3])
    return layer


def make():
    scopes.current_store().get_or_make('layer', made)
    return scopes.get_variable('w', [1])
"""
CHILD = """
import json, sys
sys.path.insert(0, sys.argv[1])
from migrator.workload.programs.migrated_variables import MigratedVariables
variables = MigratedVariables()
import program
with variables.run():
    getattr(program, "make", int)()
missing = variables.restore(sys.argv[2])
print(json.dumps([list(variables.by_name), list(variables.trainable), missing,
                  variables.by_name["w"].numpy().tolist(), len(variables.trained)]))
"""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("checkpoint") / "model")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        weight = tf.compat.v1.get_variable("w", initializer=np.array([5.0], np.float32))
        saver = tf.compat.v1.train.Saver([weight])
        session.run(tf.compat.v1.global_variables_initializer())
        saver.save(session, path)
    return path


@pytest.mark.parametrize(("text", "expected"), [
    (OWN, [["w", "Variable", "Variable_1"], ["w", "Variable"], ["Variable", "Variable_1"], [5.0], 2]),
    (STORED, [["w"], ["w"], [], [5.0], 1]),
    (LAYERED, [["dense/kernel", "dense/bias", "w"], ["dense/kernel", "dense/bias", "w"],
               ["dense/kernel", "dense/bias"], [5.0], 3]),
])
def test_names(tmp_path: Path, checkpoint: str, text: str, expected: list[object]) -> None:
    (tmp_path / "program.py").write_text(text)
    if text is not OWN:
        (tmp_path / "tf1_support").mkdir()
        for name, content in render(["scopes.get_variable", "scopes.current_store"]).items():
            (tmp_path / "tf1_support" / name).write_text(content)
    done = subprocess.run([sys.executable, "-c", CHILD, str(tmp_path), checkpoint], check=True,
                          capture_output=True, text=True)
    assert json.loads(done.stdout.splitlines()[-1]) == expected
