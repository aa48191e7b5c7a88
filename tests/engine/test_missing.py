"""What TensorFlow 2 has nowhere does not keep the rest of a module from being imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


def test_an_import_that_may_fail_stays(tmp_path: Path) -> None:
    assert "  from tensorflow.contrib.seq2seq import gather_tree" in migrated(tmp_path, GUARDED)
