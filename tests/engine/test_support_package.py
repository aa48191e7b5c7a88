"""`--support package`: support code as a distribution that requirements pin, and the ways between both."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from migrator import __version__
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Plan
from migrator.project.apply import apply_plan
from migrator.project.copytree import write_copy
from migrator.project.diff import patch
from migrator.project.undo import undo

PIN = f"tf1-support=={__version__}"
PROGRAM = "import tensorflow.contrib.slim as slim\n\n\ndef net(x):\n    return slim.conv2d(x, 8, 3)\n"


def plan(root: Path, support: str = "") -> Plan:
    return build_plan(root, Options(jobs=1, cache_dir=None, support=support))


def migrate(root: Path, support: str = "") -> Plan:
    made = plan(root, support)
    applied = apply_plan(made, allow_dirty=True)
    assert not applied.failed
    return made


def contents(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*")) if path.is_file() and ".migrator" not in path.parts
    }  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "lib").mkdir(parents=True)
    (root / "net.py").write_text(PROGRAM)
    (root / "lib" / "other.py").write_text(PROGRAM + '\n\nif __name__ == "__main__":\n    net(None)\n')
    (root / "requirements.txt").write_text("numpy==1.16\ntensorflow-gpu==1.15  # here\nfoo\n")
    return root


def test_a_pin_in_place_of_a_folder(repo: Path) -> None:
    made = migrate(repo, "package")
    assert not made.support_files
    found = contents(repo)
    assert set(found) == {"net.py", "lib/other.py", "requirements.txt"}
    assert "from tf1_support import slim" in found["net.py"]
    assert found["requirements.txt"].splitlines()[1:] == [
        "tensorflow[and-cuda]>=2.21,<2.22  # here", PIN, "foo"
    ]  # fmt: skip
    again = plan(repo)  # what is pinned stays the choice, without the option
    assert not again.changed and not again.support_files


def test_from_one_to_the_other_and_back(repo: Path) -> None:
    migrate(repo)
    vendored = contents(repo)
    assert {"tf1_support/slim.py", "lib/tf1_support/__init__.py"} <= set(vendored)
    assert not plan(repo).support_files and PIN not in vendored["requirements.txt"]
    migrate(repo, "package")
    packaged = contents(repo)
    assert set(packaged) == {"net.py", "lib/other.py", "requirements.txt"}
    assert not (repo / "tf1_support").exists() and not (repo / "lib/tf1_support").exists()
    assert packaged["net.py"] == vendored["net.py"]  # the code does not know
    assert packaged["requirements.txt"].replace(f"{PIN}\n", "") == vendored["requirements.txt"]
    migrate(repo, "vendor")
    assert contents(repo) == vendored
    undo(repo)
    assert contents(repo) == packaged
    undo(repo)
    assert contents(repo) == vendored


def test_undo_keeps_what_came_in_place_of_a_removed_file(repo: Path) -> None:
    migrate(repo)
    old = (repo / "tf1_support/slim.py").read_text()
    migrate(repo, "package")
    (repo / "tf1_support").mkdir()
    (repo / "tf1_support/slim.py").write_text("mine = 1\n")
    assert [path for path, _ in undo(repo).conflicts] == ["tf1_support/slim.py"]
    assert (repo / "tf1_support/slim.py").read_text() == "mine = 1\n"
    undo(repo, force=True)
    assert (repo / "tf1_support/slim.py").read_text() == old


def test_a_folder_with_other_files_in_it_stays(repo: Path) -> None:
    migrate(repo)
    (repo / "tf1_support/notes.txt").write_text("ours\n")
    migrate(repo, "package")
    assert set(contents(repo)) == {"net.py", "lib/other.py", "requirements.txt", "tf1_support/notes.txt"}


def test_copy_and_patch_remove_the_folder_too(repo: Path, tmp_path: Path) -> None:
    migrate(repo)
    made = plan(repo, "package")
    before = contents(repo)
    applied = write_copy(made, tmp_path / "copy")
    assert "tf1_support/slim.py" in applied.removed
    wanted = contents(tmp_path / "copy")
    assert set(wanted) == {"net.py", "lib/other.py", "requirements.txt"} and contents(repo) == before
    (tmp_path / "all.patch").write_bytes(b"".join(patch(made)))
    subprocess.run(["git", "apply", "--whitespace=nowarn", tmp_path / "all.patch"], cwd=repo, check=True)
    assert contents(repo) == wanted


@pytest.mark.parametrize(("name", "before", "after"), [
    ("setup.py", "from setuptools import setup\nsetup(install_requires=['tensorflow==1.14'])\n",
     f"from setuptools import setup\nsetup(install_requires=['tensorflow>=2.21,<2.22', '{PIN}'])\n"),
    ("pyproject.toml", '[project]\ndependencies = [\n    "tensorflow==1.14",\n    "foo",\n]\n',
     f'[project]\ndependencies = [\n    "tensorflow>=2.21,<2.22", "{PIN}",\n    "foo",\n]\n'),
    ("Dockerfile", "FROM python:3.11\nRUN pip install tensorflow==1.14 foo\n",
     f"FROM python:3.11\nRUN pip install 'tensorflow>=2.21,<2.22' '{PIN}' foo\n"),
    ("requirements/base.txt", "tensorflow==1.14", f"tensorflow>=2.21,<2.22\n{PIN}\n"),
])  # fmt: skip
def test_every_kind_of_list(tmp_path: Path, name: str, before: str, after: str) -> None:
    (tmp_path / "net.py").write_text(PROGRAM)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(before)
    migrate(tmp_path, "package")
    assert (tmp_path / name).read_text() == after
    older = after.replace(PIN, "tf1-support==0.0.1")
    (tmp_path / name).write_text(older)
    migrate(tmp_path)  # of an older version: moved on
    assert (tmp_path / name).read_text() == after
    migrate(tmp_path, "vendor")
    assert "tf1-support" not in (tmp_path / name).read_text() and (tmp_path / "tf1_support").is_dir()
    migrate(tmp_path, "package")
    assert (tmp_path / name).read_text().rstrip("\n") == after.rstrip("\n")


@pytest.mark.parametrize("listed", [None, "FROM python:3.11\nRUN pip install tensorflow\n"])
def test_where_nothing_can_hold_the_pin_a_person_is_told(tmp_path: Path, listed: str | None) -> None:
    (tmp_path / "net.py").write_text(PROGRAM)
    if listed is not None:
        (tmp_path / "Dockerfile").write_text(listed)
    made = plan(tmp_path, "package")
    (told,) = [f for f in made.findings if f.code == "DEP107"]
    assert told.path == "net.py" and PIN in told.advice and not made.support_files


def test_a_part_of_a_tree_changes_nothing_of_the_folder(repo: Path) -> None:
    migrate(repo)
    (repo / "more.py").write_text(PROGRAM.replace("conv2d", "fully_connected"))
    for support, files in (("", {"tf1_support/slim.py"}), ("package", set())):
        options = Options(jobs=1, cache_dir=None, support=support, only_files=(Path("more.py"),))
        assert files <= set(dict(build_plan(repo, options).support_files))
        assert all(text for _, text in build_plan(repo, options).support_files)
