"""What is parsed for the first look at a file serves the second one, if it is still the same text."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.analysis.parsed import Kept, Parsed
from migrator.engine import file_jobs
from migrator.engine.options import Options
from migrator.engine.plan import build_plan

TEXT = "import tensorflow as tf\nx = tf.log(2.0)\n"


def test_only_relative_imports_need_a_table_for_each_module() -> None:
    plain, relative = Parsed(TEXT), Parsed("from . import nets\n")
    assert plain.names_in("a.b", False) is plain.names is plain.names_in("c", True)
    assert relative.names_in("a.b", False) is not relative.names
    targets = [
        [b.target for b in relative.names_in(module, package).bindings()]
        for module, package in (("a.b", False), ("a.b", True), ("", False))
    ]
    assert targets == [["a.nets"], ["a.b.nets"], [".nets"]]


def test_what_is_kept_is_bounded_and_given_out_once() -> None:
    kept = Kept(len(TEXT) + 3)
    first, second = Parsed(TEXT), Parsed(TEXT)
    kept.keep("a.py", first)
    kept.keep("b.py", second)  # there is no room left for it
    assert kept.take("b.py", TEXT) is None
    assert kept.take("a.py", TEXT) is first
    assert kept.take("a.py", TEXT) is None


def test_a_file_that_changed_in_between_is_parsed_anew() -> None:
    kept = Kept(1000)
    kept.keep("a.py", Parsed(TEXT))
    assert kept.take("a.py", TEXT + "\n") is None


def test_one_process_parses_a_file_once_for_both_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    taken = []
    take = Kept.take

    def spy(self: Kept, path: str, text: str) -> Parsed | None:
        taken.append(take(self, path, text))
        return taken[-1]

    monkeypatch.setattr(Kept, "take", spy)
    plan = build_plan(tmp_path, Options(jobs=1))
    assert [item is not None for item in taken] == [True]
    assert "tf.math.log(2.0)" in (plan.files[0].new_text or "")
    assert file_jobs._Job.kept is None  # nothing stays behind
