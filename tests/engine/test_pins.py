"""Pins move with the code that needs them, and only then."""

from pathlib import Path

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Status

OPTIONS = Options(jobs=1)


def changed(root: Path) -> dict[str, str | None]:
    return {f.path: f.new_text for f in build_plan(root, OPTIONS).changed}


def test_requirements_and_setup_follow_the_code(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import tensorflow as tf\nx = tf.to_float(1)\n")
    (tmp_path / "requirements.txt").write_text("tensorflow-gpu==1.15.0  # old\nrequests\n")
    (tmp_path / "Dockerfile").write_text("FROM tensorflow/tensorflow:1.15.0-gpu-py3\n")
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\nsetup(install_requires=['tensorflow==1.15.0'])\n"
    )
    found = changed(tmp_path)
    assert found["requirements.txt"] == "tensorflow[and-cuda]>=2.21,<2.22  # old\nrequests\n"
    assert "1.15" not in (found["Dockerfile"] or "1.15")
    assert "'tensorflow>=2.21,<2.22'" in (found["setup.py"] or "")
    for path, text in found.items():
        (tmp_path / path).write_text(text or "")
    assert changed(tmp_path) == {}


def test_a_tree_without_tensorflow_keeps_its_pins(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("numpy==1.16.0\n")
    (tmp_path / "a.py").write_text("import numpy\n")
    assert changed(tmp_path) == {}


def test_ignored_codes_leave_pins_alone(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import tensorflow as tf\nx = tf.to_float(1)\n")
    (tmp_path / "requirements.txt").write_text("tensorflow==1.15.0\n")
    plan = build_plan(tmp_path, Options(jobs=1, ignore=frozenset({"DEP"})))
    assert [f.path for f in plan.files if f.status is Status.CHANGED] == ["net.py"]
