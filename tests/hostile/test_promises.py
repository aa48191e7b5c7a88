"""What docs/security.md says about limits is what the code has, and the commands that it names are all."""

from __future__ import annotations

import re

import pytest

from migrator.cli import main
from migrator.engine import file_jobs
from migrator.project import git, ignore, planfile, source
from tests.hostile.attacks import ROOT

TEXT = " ".join((ROOT / "docs/security.md").read_text(encoding="utf-8").split())


def test_limits_are_those_of_the_code() -> None:
    assert f"at most {source.MAX_BYTES >> 20} MiB and about {file_jobs._MOST_PARTS:,} parts" in TEXT
    assert f"At most {ignore.MOST_GLOBS:,} patterns with wildcards" in TEXT
    assert f"Of a plan at most {planfile.MAX_PLAN_BYTES >> 30} GiB" in TEXT
    assert f"What git prints: {git._MOST_SAID >> 20} MiB, {git.TIMEOUT:.0f} seconds" in TEXT


def test_limits_of_the_language_server() -> None:
    pytest.importorskip("pygls")
    from migrator.cli import language_messages

    assert f"A message has at most {language_messages.MOST >> 20} MiB" in TEXT


def test_every_command_is_in_the_table() -> None:
    table = TEXT.partition("## What runs code")[2].partition("**git**")[0]
    named = set(re.findall(r"`([a-z]+)", table))
    assert set(main.COMMANDS) <= named
