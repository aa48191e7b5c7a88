"""Saves a VocabularyProcessor with TensorFlow 1.15.5, as programs that a migration meets have them on disk.

    python tests/contrib/recorders/vocabulary.py      (Python 3.7 with TensorFlow 1.15.5)
"""

from __future__ import annotations

import pathlib

from tensorflow.contrib import learn

TEXTS = ["a cat, a dog", "the dog isn't a Cat", "the the dog"]

if __name__ == "__main__":
    processor = learn.preprocessing.VocabularyProcessor(5)
    list(processor.fit_transform(TEXTS))
    processor.save(str(pathlib.Path(__file__).parents[1] / "fixtures" / "vocabulary.pickle"))
