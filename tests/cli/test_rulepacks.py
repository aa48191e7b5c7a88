"""Rule packs of others: the skeleton works as it is, is found when installed, and is tested."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from migrator.engine import installed, ruleset
from migrator.engine.pack_cases import check

Call = Callable[..., Result]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def pack(tmp_path: Path, migrator: Call) -> Path:
    migrator("rules", "new", "mine", "--in", tmp_path)
    return tmp_path / "migrator-rules-mine"


@pytest.fixture
def site(tmp_path: Path, pack: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The pack as pip would have installed it."""
    folder = tmp_path / "site"
    package = folder / "migrator_rules_mine"
    package.mkdir(parents=True)
    for file in (pack / "migrator_rules_mine").iterdir():
        (package / file.name).write_bytes(file.read_bytes())
    (package / "__init__.py").write_text("raise RuntimeError('a pack was imported')\n")
    info = folder / "migrator_rules_mine-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: migrator-rules-mine\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text("[migrator.rules]\nmine = migrator_rules_mine\n")
    monkeypatch.syspath_prepend(str(folder))
    installed.installed.cache_clear()
    yield folder
    installed.installed.cache_clear()
    ruleset._shipped.cache_clear()


def test_the_skeleton_is_a_pack_whose_cases_hold(pack: Path, migrator: Call) -> None:
    said = migrator("rules", "test", pack)
    assert "ok  X101 case 1" in said.stdout and "1 of 1 hold" in said.stdout
    again = migrator("rules", "new", "mine", "--in", pack.parent, code=2)
    assert "exists already" in again.stderr
    migrator("rules", "new", "../x", "--in", pack.parent, code=2)


def test_an_installed_pack_is_used_everywhere_and_never_imported(
    site: Path, migrator: Call, tmp_path: Path
) -> None:
    assert "and the pack mine of migrator-rules-mine" in migrator("rules").stdout
    lines = json.loads(migrator("rules", "X1", "--json").stdout)
    assert [line["code"] for line in lines] == ["X101"]
    assert "1 of 1 hold" in migrator("rules", "test", "mine").stdout
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "a.py").write_text("import mylib\n\n\ndef f(y):\n    return mylib.scale(y, 4.0)\n")
    said = migrator("migrate", repo, "--diff", "--no-cache", code=1)
    assert "+    return y * 4.0" in said.stdout and "# X101" in said.stdout


def test_an_installed_pack_without_files_is_named(site: Path, migrator: Call) -> None:
    (site / "migrator_rules_mine/rules.toml").unlink()
    said = migrator("rules", code=2)
    assert "migrator-rules-mine: its rule pack mine" in said.stderr


WRONG = """\
[[rule]]
code = "X1"
title = "t"
why = "w"
match = "tf.to_float(x)"
rewrite = "tf.cast(x, tf.float64)"
[[rule.case]]
before = "result = tf.to_float(1)"
after = "result = tf.cast(1, tf.float32)"
[[rule.case]]
before = "result = 1"
[[rule.case]]
before = "result = ("
[[rule]]
code = "X2"
title = "t"
why = "w"
match = "tf.foo(x)"
rewrite = "tf.abs(tf.foo(x))"
[[rule.case]]
before = "result = tf.foo(1)"
after = "result = tf.abs(tf.foo(1))"
[[rule]]
code = "X4"
title = "t"
why = "w"
match = "mylib.old(x)"
rewrite = "mylib.new(x)"
[[rule.case]]
before = "result = mylib.old(1)"
after = "result = mylib.new(1)"
[[rule]]
code = "X3"
title = "t"
why = "w"
match = "tf.bar(x)"
rewrite = "tf.abs(x)"
"""


def test_cases_that_do_not_hold_are_told_one_by_one(tmp_path: Path, migrator: Call) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(WRONG)
    problems = {outcome.name: outcome.problem for outcome in check((file,))}
    assert "after is not what becomes of before" in problems["X1 case 1"]
    assert "the rule does nothing to before" in problems["X1 case 2"]
    assert "before cannot be read: case.py:2" in problems["X1 case 3"]
    assert "changed again by a second run" in problems["X2 case 1"]
    assert "has no case" in problems["X3"]
    assert "nothing to before (mylib is not imported in it)" in problems["X4 case 1"]
    assert "mylib.new(x)" in migrator("explain", "x4", "--rules", file).stdout
    assert "0 of 6 hold" in migrator("rules", "test", file, code=1).stdout


@pytest.mark.parametrize(
    ("text", "said"), [("x = ", "is not TOML"), ("[[rule]]\ncode='X'\n", "'title' is missing")]
)
def test_what_is_no_pack_ends_with_code_2(
    tmp_path: Path, migrator: Call, text: str, said: str
) -> None:
    (tmp_path / "p.toml").write_text(text)
    assert said in migrator("rules", "test", tmp_path / "p.toml", code=2).stderr
    assert "no pack file" in migrator("rules", "test", "no-such-pack", code=2).stderr


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="no TensorFlow 2")
def test_run_compares_the_numbers(pack: Path) -> None:
    """In a process of its own, so that no other test's TensorFlow matters."""
    rules = pack / "migrator_rules_mine/rules.toml"
    wrong = rules.read_text().replace("[3.0, 6.0]", "[3.0, 7.0]").replace("X101", "X102")
    (pack / "wrong.toml").write_text(wrong.replace("mylib.scale", "mylib.scale2"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MIGRATOR_TF1_PYTHON": ""}
    code = "from migrator.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "rules", "test", str(pack), "--run"], env=environment,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "ok  X101 case 1" in done.stdout and "failed  X102 case 1" in done.stdout
    assert "became [3.0, 6.0]" in done.stdout and "1 of 2 hold" in done.stdout
