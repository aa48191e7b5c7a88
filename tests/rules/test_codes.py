"""Every code that a change or finding can have is described, once, and can be explained."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from migrator.cli.rules import titles
from migrator.engine import codes
from migrator.engine.options import Options
from migrator.engine.ruleset import load_ruleset

_CODE = re.compile(r"\b(?:TF|PY|DEP|PB)\d{3}\b")


@pytest.fixture(scope="module")
def used(repository_root: Path) -> set[str]:
    sources = [*(repository_root / "migrator").rglob("*.py"), *(repository_root / "rules").glob("*.toml")]
    sources.append(repository_root / "rules" / "advice" / "families.toml")
    return {code for source in sources for code in _CODE.findall(source.read_text("utf-8"))}


def test_every_code_is_described_and_used(used: set[str]) -> None:
    assert used - titles().keys() == set()
    assert codes.described().keys() - used == set()


def test_descriptions_are_short_titles_and_sentences() -> None:
    for code, described in titles().items():
        assert 3 < len(described.title) <= 120 and "\n" not in described.title, code
        assert described.why.endswith("."), code


def test_symbols_of_a_code() -> None:
    packs = load_ruleset(Options()).packs
    assert ("tf.log", "tf.math.log") in codes.symbols(packs, "TF101")
    assert dict(codes.symbols(packs, "TF201"))["tf.contrib.slim.conv2d"] == "slim.conv2d"
    assert any(symbol == "tf.contrib.slim.learning" for symbol, _ in codes.symbols(packs, "TF341"))


def test_the_page_is_up_to_date(repository_root: Path) -> None:
    tool = repository_root / "rules" / "tools" / "make_codes.py"
    done = subprocess.run(
        [sys.executable, tool, "--check"], cwd=repository_root, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(repository_root)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
