"""Repositories that somebody made to hurt: nothing outside is read or written, nothing hangs."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Status
from migrator.project import config
from migrator.project.apply import apply_plan
from migrator.project.undo import undo
from tests.project.trees import make_tree, plan_for, snapshot

ROOT = Path(__file__).resolve().parents[2]
USES = "import numpy as np\nimport tensorflow as tf\n\nx = tf.log(np.float(1))\n"


# -- several names for one file


def test_hard_links_within_the_tree_are_kept_through_migration_and_undo(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    make_tree(root, 3)
    os.link(root / "pkg1/m1.py", root / "pkg2/same_file.py")
    before = snapshot(root)
    apply_plan(plan_for(root))
    names = [root / "pkg1/m1.py", root / "pkg2/same_file.py"]
    assert len({path.stat().st_ino for path in names}) == 1
    assert "tf.math.log" in names[0].read_text()
    undo(root)
    assert snapshot(root) == before
    assert len({path.stat().st_ino for path in names}) == 1
    assert sorted(p.name for p in root.rglob("*link-*")) == []


def test_a_name_outside_keeps_its_content_and_is_told(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    make_tree(root, 3)
    outside = tmp_path / "outside.py"
    os.link(root / "pkg0/m0.py", outside)
    old = outside.read_bytes()
    applied = apply_plan(plan_for(root))
    assert "pkg0/m0.py: has 1 other name (hard links), which keep the old content" in applied.notes
    assert outside.read_bytes() == old != (root / "pkg0/m0.py").read_bytes()


# -- no room half-way


def test_a_limit_on_file_size_refuses_and_changes_nothing(tmp_path: Path) -> None:
    """Writing fails (EFBIG) in the middle of the journal, as a quota would."""
    root = tmp_path / "tree"
    make_tree(root, 12)
    before = snapshot(root)
    code = (
        "import sys; from pathlib import Path; from tests.project.trees import plan_for\n"
        "import resource; from migrator.project.apply import apply_plan, Refused\n"
        "plan = plan_for(Path(sys.argv[1])); resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "try: apply_plan(plan)\nexcept Refused as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "nothing was changed" in done.stdout
    assert snapshot(root) == before
    assert len(apply_plan(plan_for(root)).written) == 12


# -- files that are made to be expensive


def peak_of(root: Path, limit: int) -> float:
    """Seconds that a plan of the tree takes in a process that may use `limit` bytes."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    code = (
        "import sys; from pathlib import Path\nfrom migrator.engine.plan import build_plan\n"
        "from migrator.engine.options import Options\nfrom migrator.model import to_json\n"
        "print(to_json(build_plan(Path(sys.argv[1]), Options(jobs=1))))"
    )
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-c", code, str(root)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
        preexec_fn=bound, timeout=120,
    )  # fmt: skip
    return time.monotonic() - started


def test_a_line_of_50_megabytes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "uses.py").write_text(USES)
    with open(tmp_path / "long.py", "wb") as stream:
        stream.write(b"import tensorflow as tf; x = '")
        stream.write(b"a" * 50_000_000)
        stream.write(b"'\n")
    plan = build_plan(tmp_path, Options(jobs=1))
    found = {result.path: result for result in plan.files}
    assert found["uses.py"].status is Status.CHANGED
    assert found["long.py"].status is Status.SKIPPED
    assert "over the limit" in found["long.py"].findings[0].message


def test_bombs_are_text(tmp_path: Path) -> None:
    """YAML that grows without end, JSON that nests without end, archives: read as text or not."""
    (tmp_path / "uses.py").write_text(USES)
    laughs = "a: &a [lol, lol]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}{', *' + chr(97 + n)} * 9]\n" for n in range(20)
    )
    (tmp_path / "environment.yml").write_text(f"{laughs}dependencies:\n  - tensorflow=1.15\n")
    (tmp_path / "deep.ipynb").write_text('{"cells": ' + "[" * 200_000)
    (tmp_path / "setup.cfg").write_text("[migrator]\nselect = TF\n")
    with zipfile.ZipFile(tmp_path / "code.zip", "w") as archive:
        archive.writestr("../../escaped.py", USES)
    with tarfile.open(tmp_path / "code.tar", "w") as tar:
        tar.add(tmp_path / "uses.py", "../escaped.py")
    before = snapshot(tmp_path)
    assert peak_of(tmp_path, 4 << 30) < 60
    plan = build_plan(tmp_path, Options(jobs=1))
    found = {result.path: result for result in plan.files}
    assert found["deep.ipynb"].status is Status.FAILED
    assert not {"code.zip", "code.tar"} & set(found)
    assert snapshot(tmp_path) == before and not (tmp_path.parent / "escaped.py").exists()


@pytest.mark.parametrize(
    "text",
    ["x = " + "(" * 5000 + ")" * 5000, "x = " + "-" * 50_000 + "1", "x" + " + x" * 30_000,
     "x" + ".a" * 20_000, "f" + "()" * 20_000, "x = " + "[" * 90 + "]" * 90,
     "if x: pass\n" + "".join(" " * n + "if x:\n" for n in range(1, 90)) + " " * 99 + "pass",
     "x = 1" + "0" * 10_000, "'''" + "\\N{DASH}" * 1000 + "'''", "# " + "é" * 500_000],
    ids=["parentheses", "minus", "plus", "dots", "calls", "brackets", "blocks", "digits", "names",
         "comment"],
)  # fmt: skip
def test_expressions_that_are_too_deep_cost_only_their_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "deep.py").write_text(f"import tensorflow as tf\ny = tf.log(1.0)\n{text}\n")
    (tmp_path / "uses.py").write_text(USES)
    plan = build_plan(tmp_path, Options(jobs=1))
    found = {result.path: result for result in plan.files}
    assert found["uses.py"].status is Status.CHANGED
    deep = found["deep.py"]
    assert deep.status is Status.CHANGED or deep.error.startswith("deep.py:"), deep.error
    assert "internal error" not in deep.error


def test_what_links_point_to_outside_is_never_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("import tensorflow as tf\nSECRET = tf.log(1.0)\n")
    (outside / "setup.cfg").write_text("[migrator]\nselect = TF1\n")
    root = tmp_path / "tree"
    root.mkdir()
    (root / "uses.py").write_text(USES)
    (root / "link.py").symlink_to(outside / "secret.py")
    (root / "folder").symlink_to(outside)
    (root / "requirements.txt").symlink_to(outside / "secret.py")
    os.mkfifo(root / "pipe.py")
    os.mkfifo(root / "requirements-dev.txt")
    (root / "zero.py").symlink_to("/dev/zero")
    before = snapshot(outside)
    plan = build_plan(root, Options(jobs=1))
    assert "SECRET" not in json.dumps([f.old_text for f in plan.files])
    assert [f.path for f in plan.changed] == ["uses.py"]
    apply_plan(plan)
    assert snapshot(outside) == before


def test_a_module_that_is_data_is_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("import tensorflow as tf\nx = [" + "1," * 2_000_000 + "]\n")
    (tmp_path / "uses.py").write_text(USES)
    assert peak_of(tmp_path, 1 << 30) < 60
    found = {f.path: f for f in build_plan(tmp_path, Options(jobs=1)).files}
    assert found["data.py"].status is Status.SKIPPED and found["data.py"].findings[0].code == "TF001"
    assert found["uses.py"].status is Status.CHANGED


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rules = ../pack.toml", "outside of the repository"),
        ("rules = own.toml, /etc/passwd", "outside of the repository"),
        ("baseline = /etc/passwd", "outside of the repository"),
        ("baseline = linked.json", "outside of the repository"),
        ("address = ray://elsewhere:10001", "where its files are sent"),
    ],
)
def test_settings_lead_nowhere_else(tmp_path: Path, line: str, said: str) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "linked.json").symlink_to("/etc/passwd")
    (repo / "setup.cfg").write_text(f"[migrator]\n{line}\n")
    with pytest.raises(config.ConfigError, match=said):
        config.load(repo)
    (repo / "setup.cfg").write_text("[migrator]\nrules = own.toml\naddress = auto\n")
    assert config.load(repo).values == {"rules": ["own.toml"], "address": "auto"}


@pytest.mark.parametrize("name", ["setup.cfg", "pyproject.toml", "migrator.toml"])
def test_settings_that_are_a_link_out_of_the_tree_are_not_read(tmp_path: Path, name: str) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (tmp_path / "outside").write_text("a secret\n")
    (repo / name).symlink_to(tmp_path / "outside")
    with pytest.raises(config.ConfigError, match="link out of the repository") as caught:
        config.load(repo)
    assert "secret" not in str(caught.value)
