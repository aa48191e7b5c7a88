"""One support package for all that a process may import, whatever folders are on its sys.path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from migrator.analysis.index import ProjectIndex, summaries_from_texts
from migrator.analysis.support_places import SupportPlaces, support_places
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.project.apply import apply_plan

MAIN = 'if __name__ == "__main__":\n    main()\n'


def places(files: dict[str, str], *users: str, existing: tuple[str, ...] = ()) -> SupportPlaces:
    index = ProjectIndex.assemble(summaries_from_texts(files))
    return support_places(index, users or files, existing)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # scripts of a folder that import from the root, which they need on sys.path anyway
        ({"net/__init__.py": "", "net/v1.py": "", "tools/train.py": "from net import v1\n" + MAIN}, ("",)),
        # a script that imports nothing of the project finds only its own folder
        (
            {"net/__init__.py": "", "net/v1.py": MAIN, "train.py": "from net import v1\n" + MAIN},
            ("", "net"),
        ),
        # folders of their own: the package lies in the one that they are in
        ({"one/a.py": MAIN, "two/b.py": MAIN}, ("", "one", "two")),
        ({"x/one/a.py": MAIN, "x/two/b.py": MAIN}, ("x", "x/one", "x/two")),
        # a module that is imported in two ways, from its own folder and from the root
        (
            {"lib/util.py": "", "lib/run.py": "import util\n" + MAIN, "main.py": "import lib.util\n" + MAIN},
            ("", "lib"),
        ),
        # a module of a package is no script, only imported
        ({"net/__init__.py": "", "net/v1.py": "", "net/v2.py": "from net import v1\n"}, ("",)),
    ],
)
def test_places(files: dict[str, str], expected: tuple[str, ...]) -> None:
    assert places(files) == SupportPlaces(expected[0], expected[1:])


def test_what_an_earlier_migration_left_must_lead_there_too() -> None:
    files = {"net/__init__.py": "", "net/v1.py": "", "train.py": "from net import v1\n" + MAIN}
    assert places(files, existing=("net",)) == SupportPlaces("", ("net",))
    assert places(files, existing=("", "net")) == SupportPlaces("", ("net",))


def test_files_that_are_in_no_index() -> None:
    assert places({}, "a/b.py") == SupportPlaces("a")
    assert support_places(ProjectIndex(), []) == SupportPlaces("")


def test_every_way_of_running_finds_all_of_it(tmp_path: Path) -> None:
    head = "import tensorflow.contrib.slim as slim\nimport tensorflow as tf\n"
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "util.py").write_text(head + "flatten = slim.flatten\n")
    (tmp_path / "lib" / "alone.py").write_text("import util\n" + head + "use = slim.repeat\n" + MAIN)
    (tmp_path / "main.py").write_text("from lib import util\n" + head + "use = slim.conv2d\n" + MAIN)
    apply_plan(build_plan(tmp_path, Options(jobs=1, cache_dir=None)), allow_dirty=True)
    for folder in ("", "lib"):
        found = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path[0] = {str(tmp_path / folder)!r}\n"
             "import importlib.util as u; print(u.find_spec('tf1_support.slim').origin)"],
            cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""},
        )  # fmt: skip
        assert found.stdout.strip() == str(tmp_path / "tf1_support" / "slim.py"), found.stderr
    text = (tmp_path / "tf1_support" / "slim.py").read_text()
    assert all(name in text for name in ("conv2d", "repeat", "flatten"))
    again = build_plan(tmp_path, Options(jobs=1, cache_dir=None))
    assert not again.support_files

