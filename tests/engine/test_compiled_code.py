"""Compiled code that a program loads and that TensorFlow 2.21 and Python 3.11 do not."""

from __future__ import annotations

from pathlib import Path

from migrator.engine.options import Options
from migrator.engine.plan import build_plan

PROGRAM = ("import tensorflow as tf\nfrom boxes import cython_nms\nimport boxes.fresh\nimport boxes.tagged\n"
           "from boxes.whole import area\n\nx = tf.to_float(cython_nms.nms(1))\n")  # fmt: skip


def _said(root: Path) -> list[tuple[str, int, str]]:
    plan = build_plan(root, Options(jobs=1))
    return [(f.path, f.line, f.message) for r in plan.files for f in r.findings if f.code == "DEP108"]


def test_modules_of_other_pythons(tmp_path: Path) -> None:
    """Told by the name's tag, or by names of Python 2's C functions in a file without one."""
    (tmp_path / "boxes").mkdir()
    (tmp_path / "boxes/__init__.py").write_text("")
    (tmp_path / "boxes/cython_nms.so").write_bytes(b"\x7fELF\0\0Py_InitModule4_64\0")
    (tmp_path / "boxes/fresh.cpython-311-x86_64-linux-gnu.so").write_bytes(b"\x7fELF\0PyModule_Create2\0")
    (tmp_path / "boxes/tagged.cpython-36m-x86_64-linux-gnu.so").write_bytes(b"\x7fELF\0PyModule_Create2\0")
    (tmp_path / "boxes/whole.so").write_bytes(b"\x7fELF\0PyModule_Create2\0")
    (tmp_path / "boxes/unasked.so").write_bytes(b"\x7fELF\0\0Py_InitModule4_64\0")
    (tmp_path / "detect.py").write_text(PROGRAM)
    assert _said(tmp_path) == [
        ("detect.py", 2, "boxes/cython_nms.so was compiled for another Python"),
        ("detect.py", 4, "boxes/tagged.cpython-36m-x86_64-linux-gnu.so was compiled for another Python"),
    ]


def test_libraries_of_operations(tmp_path: Path) -> None:
    (tmp_path / "pool.py").write_text(
        "import os\nimport tensorflow as tf\n\n_here = os.path.dirname(__file__)\n"
        "_module = tf.load_op_library(os.path.join(_here, 'pool.so'))\npool = _module.pool\n"
    )
    assert _said(tmp_path) == [
        ("pool.py", 5, "operations that were compiled for TensorFlow 1 do not load in TensorFlow 2")
    ]
    (tmp_path / "net.py").write_text("from tf1_support import graphs\n")  # it was migrated before
    assert not _said(tmp_path)
