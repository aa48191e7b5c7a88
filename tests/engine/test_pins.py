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


SUMMARY = "import tensorflow as tf\ntf.summary.scalar('a', tf.to_float(1))\n"


def settled(root: Path, before: dict[str, str]) -> dict[str, str]:
    """The files after a migration, which a second one leaves as they are."""
    for path, text in before.items():
        (root / path).write_text(text)
    found = {path: text or "" for path, text in changed(root).items()}
    for path, text in found.items():
        (root / path).write_text(text)
    assert changed(root) == {}
    return {path: found.get(path, text) for path, text in before.items()}


def test_tensorboard_stands_beside_tensorflow_where_summaries_are_written(tmp_path: Path) -> None:
    found = settled(tmp_path, {
        "net.py": SUMMARY, "requirements.txt": "tensorflow==1.15.0  # old\r\nrequests\r\n",
        "setup.py": "from setuptools import setup\nsetup(install_requires=['tensorflow==1.15.0', 'six'])\n",
        "Dockerfile": "RUN pip install 'tensorflow==1.15.0' six\n",
        "environment.yml": "dependencies:\n  - python=3.7\n  - tensorflow=1.15\n",
    })  # fmt: skip
    assert found["requirements.txt"] == (
        "tensorflow>=2.21,<2.22  # old\r\ntensorboard>=2.20\r\nrequests\r\n"
    )
    assert "['tensorflow>=2.21,<2.22', 'tensorboard>=2.20', 'six']" in found["setup.py"]
    assert found["Dockerfile"] == "RUN pip install 'tensorflow>=2.21,<2.22' 'tensorboard>=2.20' six\n"
    assert found["environment.yml"].endswith("    - tensorflow>=2.21,<2.22\n    - tensorboard>=2.20\n")


def test_it_is_not_added_where_it_is_or_nothing_needs_it(tmp_path: Path) -> None:
    both = {"net.py": SUMMARY, "requirements.txt": "tensorflow>=2.21\ntensorboard\n"}
    assert settled(tmp_path, both)["requirements.txt"] == both["requirements.txt"]
    plain = {"net.py": "import tensorflow as tf\nx = tf.to_float(1)\n", "requirements.txt": "tensorflow==1.2"}
    (tmp_path / "b").mkdir()
    assert settled(tmp_path / "b", plain)["requirements.txt"] == "tensorflow>=2.21,<2.22"


def test_a_tree_that_lists_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(SUMMARY)
    said = [f for r in build_plan(tmp_path, OPTIONS).files for f in r.findings if f.code == "DEP107"]
    (told,) = said
    assert told.path == "net.py" and told.advice.startswith("pip install tensorboard, and write it")
    for listed in ("tensorflow\n", "tensorboard\n"):
        (tmp_path / "requirements.txt").write_text(listed)
        assert not [f for r in build_plan(tmp_path, OPTIONS).files for f in r.findings if f.code == "DEP107"]
