"""What TensorFlow 1.15.5 saved of a vocabulary is read (recorded/vocabulary.py made the file)."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.recorded import files

vocabulary = pytest.importorskip("tf1_support.vocabulary")
SAVED = files.path("vocabulary.pickle")


def test_a_vocabulary_of_tensorflow_1() -> None:
    processor = vocabulary.VocabularyProcessor.restore(SAVED)
    assert type(processor) is vocabulary.VocabularyProcessor
    rows = np.array(list(processor.transform(["the cat isn't new", "a b c d e f"])))
    np.testing.assert_array_equal(rows, [[4, 2, 5, 0, 0], [1, 0, 0, 0, 0]])
    assert list(processor.reverse([[1, 3]])) == ["a dog"]


def test_others_pickles_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(pickle.dumps({"a": 1}))
    assert vocabulary.VocabularyProcessor.restore(str(tmp_path / "p")) == {"a": 1}
