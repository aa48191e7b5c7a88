"""A VocabularyProcessor as programs that a migration meets have it on disk (Python 3.7)."""

from tests.runtime.recorded import files

TEXTS = ["a cat, a dog", "the dog isn't a Cat", "the the dog"]


def record():
    from tensorflow.contrib import learn

    processor = learn.preprocessing.VocabularyProcessor(5)
    list(processor.fit_transform(TEXTS))
    processor.save(files.path("vocabulary.pickle"))
