"""Names of TensorFlow in strings: mocks follow the name, lookups by name are told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from tests.transforms.projects import migrate_in_place

MOCKED = '''\
from unittest import mock

import program
import tensorflow as tf


@mock.patch("tensorflow.gfile.Exists", return_value=True)
def test_patched(exists):
    with mock.patch('tensorflow.contrib.layers.l2_regularizer', return_value=2):
        with mock.patch("program.tf.log", return_value=3):
            assert program.found("nowhere") == (True, 2, 3)
    assert not program.found.__doc__
'''
PROGRAM = """\
import tensorflow as tf


def found(path):
    return tf.gfile.Exists(path), tf.contrib.layers.l2_regularizer(0.1), tf.log(1.0)
"""


def test_a_mock_by_path_takes_the_place_of_what_is_called(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "test_program.py").write_text(MOCKED)
    migrate_in_place(tmp_path)
    assert '"tensorflow.io.gfile.exists"' in (tmp_path / "test_program.py").read_text()
    trial = "import test_program; test_program.test_patched()"
    done = subprocess.run(
        [sys.executable, "-c", trial], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ('import tensorflow as tf\nfind("tensorflow.train")\n', "tf.train"),
        ('import tensorflow as tf\nfind("tensorflow.contrib.rnn.GRUCell")\n', "GRUCell"),
        ('import tensorflow as tf\npatch("tensorflow.contrib.rnn.GridLSTMCell")\n', "GridLSTMCell"),
        ('import tensorflow as tf\nfind("tensorflow.nn.relu")\n', ""),
        ('import tensorflow as tf\nfind("tensorflow.nobody.knows")\n', ""),
        ('import tensorflow as tf\nfind("see tensorflow.train")\n', ""),
    ],
)
def test_other_names_in_strings_stay_and_are_told(tmp_path: Path, source: str, told: str) -> None:
    (tmp_path / "program.py").write_text(source)
    [file] = build_plan(tmp_path, Options(jobs=1)).files
    messages = [] if file is None else [f.message for f in file.findings if f.code == "TF004"]
    assert (file is None or file.new_text is None) and len(messages) == bool(told)
    assert all(told in message for message in messages)
