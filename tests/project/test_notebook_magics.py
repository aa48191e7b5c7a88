"""Notebooks install what the migrated code needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.project.notebook import decode_module, encode_module
from migrator.project.source import SourceError


def notebook(*cells: str) -> bytes:
    return json.dumps({
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                   "source": cell.splitlines(keepends=True)} for cell in cells],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 4,
    }).encode()


def migrated(folder: Path, *cells: str) -> list[str]:
    """The cells after a migration, which a second one leaves as they are."""
    path = folder / "n.ipynb"
    for _ in range(2):
        path.write_bytes(notebook(*cells))
        plan = build_plan(folder, Options(jobs=1))
        assert not plan.failed
        for file in plan.changed:
            assert file.new_text is not None
            data = path.read_bytes()
            path.write_bytes(encode_module(decode_module(data, path), file.new_text, data))
        found = ["".join(c["source"]) for c in json.loads(path.read_text())["cells"]]
        cells = tuple(found)
    assert not plan.changed
    return found


def test_pins_and_the_version_follow_and_other_lines_stay(tmp_path: Path) -> None:
    first = "%matplotlib inline\n!pip install -q tensorflow==1.15 'numpy<1.17' lucid\n"
    first += "%tensorflow_version 1.x\n"
    second = "import tensorflow as tf\nfiles = !ls\n!nvidia-smi\nx = tf.log(1.0)\n"
    cells = migrated(tmp_path, first, second)
    assert cells == [
        "%matplotlib inline\n!pip install -q 'tensorflow>=2.21,<2.22' 'numpy>=1.26' lucid\n"
        "%tensorflow_version 2.x\n",
        second.replace("tf.log", "tf.math.log"),
    ]


def test_other_lines_of_ipython_may_not_change() -> None:
    data = notebook("!ls\nimport tensorflow as tf\n")
    source = decode_module(data, "n.ipynb")
    with pytest.raises(SourceError, match="IPython lines"):
        encode_module(source, source.text.replace("!ls", "!rm"), data)
