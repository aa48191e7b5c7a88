"""What TensorFlow 2 has nowhere does not keep the rest of a module from being imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.transforms.projects import changed_again, migrate_in_place

SOURCE = """\
import tensorflow as tf
from tensorflow.contrib import seq2seq
from tensorflow.contrib.seq2seq import LuongMonotonicAttention, gather_tree as tile


class Decoder(tf.contrib.seq2seq.ScheduledEmbeddingTrainingHelper):
  attention = LuongMonotonicAttention


def still_works(x):
  return x + 1


def needs_a_person(x, beam=seq2seq.BeamSearchDecoder):
  return tile(x, 3)
"""
GUARDED = """\
try:
  from tensorflow.contrib.seq2seq import gather_tree
except ImportError:
  gather_tree = None

use = gather_tree or len
"""
TRIED = """\
import tensorflow as tf

try:
  scalar = tf.scalar_summary
  merge = tf.merge_summary
except{kind}:
  scalar = tf.summary.scalar
  merge = len


def late():
  try:
    return lambda: tf.pack
  except AttributeError:
    return None
"""
TRIAL = """
import program
assert program.still_works(1) == 2
assert not isinstance(1, program.Decoder.attention)
assert 'BeamSearchDecoder' in repr(program.needs_a_person.__defaults__)
for use in (program.Decoder, lambda: program.needs_a_person(1)):
    try:
        use()
    except NotImplementedError as error:
        assert 'has no successor' in str(error)
    else:
        raise AssertionError('it was used')
"""


def migrated(folder: Path, source: str) -> str:
    (folder / "program.py").write_text(source)
    gone = [finding.symbol for finding in migrate_in_place(folder).findings]
    assert any("seq2seq" in symbol for symbol in gone), gone
    return (folder / "program.py").read_text()


def test_names_without_successor_fail_where_they_are_used(tmp_path: Path) -> None:
    text = migrated(tmp_path, SOURCE)
    assert "  attention = missing.LuongMonotonicAttention" in text
    assert "from tf1_support.missing import gather_tree as tile" in text
    assert "class Decoder(missing.ScheduledEmbeddingTrainingHelper):" in text
    # the support package needs no TensorFlow for them
    (tmp_path / "program.py").write_text(text.replace("import tensorflow as tf\n", ""))
    subprocess.run([sys.executable, "-c", TRIAL], cwd=tmp_path, check=True)


def test_a_second_migration_changes_nothing(tmp_path: Path) -> None:
    migrated(tmp_path, SOURCE)
    assert not changed_again(tmp_path)


def test_an_import_that_did_not_fail_is_stood_in_for(tmp_path: Path) -> None:
    """TF 1 had it, so that the program never went on with something else."""
    assert "use = missing.gather_tree or len" in migrated(tmp_path, GUARDED)


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("", "\nscalar = summary.scalar\nmerge = len\n"),  # what is known to come of it
        (" AttributeError", "\nscalar = summary.scalar\nmerge = len\n"),
        (" (ImportError, AttributeError) as e", "  scalar = tf.scalar_summary\n  merge = tf.merge_summary\n"),
    ],
)
def test_a_name_that_neither_has_fails_where_the_program_catches_it(
    tmp_path: Path, kind: str, written: str
) -> None:
    (tmp_path / "program.py").write_text(TRIED.format(kind=kind))
    found = [(f.line, f.symbol) for f in migrate_in_place(tmp_path).findings if f.code == "TF003"]
    text = (tmp_path / "program.py").read_text()
    assert written in text
    assert found == [(13, "tf.pack")]  # nobody catches what a lambda reads when it is called
    assert not changed_again(tmp_path)


def test_a_name_that_fails_with_another_error_is_stood_in_for(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(TRIED.format(kind=" ValueError"))
    assert migrate_in_place(tmp_path).findings[0].symbol == "tf.scalar_summary"
    assert "missing.scalar_summary" in (tmp_path / "program.py").read_text()
