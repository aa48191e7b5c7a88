"""Texts as numbers of words: tf.contrib.learn.preprocessing."""

from __future__ import annotations

import collections
import io
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

_TOKEN = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)
_OLD_HOME = "tensorflow.contrib.learn.python.learn.preprocessing."


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text."""
    for value in iterator:
        yield _TOKEN.findall(value)


class CategoricalVocabulary:
    """Numbers for categories (words), from 1 in the order in which they come; 0 is what is unknown."""

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._support_reverse = support_reverse
        if support_reverse:
            self._reverse_mapping: list[Any] = [unknown_token]
        self._freq: dict[Any, int] = collections.defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """From now on, new categories are unknown (or not)."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The number of a category; a new one gets one unless the vocabulary is frozen."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps what was counted more often than `min_frequency` (and less than `max_frequency`, if
        positive), numbered anew from the most frequent on."""
        by_name = sorted(self._freq.items(), key=lambda pair: (isinstance(pair[0], str), pair[0]))
        ordered = sorted(by_name, key=lambda pair: pair[1], reverse=True)
        self._mapping = {self._unknown_token: 0}
        if self._support_reverse:
            self._reverse_mapping = [self._unknown_token]
        for category, count in ordered:
            if 0 < max_frequency <= count:
                continue
            if count <= min_frequency:
                break
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        self._freq = dict(ordered[: len(self._mapping) - 1])

    def reverse(self, class_id: int) -> Any:
        """The category of a number. Raises ValueError for a vocabulary made without `support_reverse`."""
        if not self._support_reverse:
            raise ValueError("This vocabulary was made without support_reverse.")
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Texts as rows of `max_document_length` numbers of words, int64, filled up with 0."""

    def __init__(self, max_document_length: int, min_frequency: int = 0,
                 vocabulary: CategoricalVocabulary | None = None,
                 tokenizer_fn: Callable[[Iterable[str]], Iterable[list[str]]] | None = None) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of the texts, then no more."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[np.ndarray]:
        """`fit`, then `transform`."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """The row of each text."""
        for tokens in self._tokenizer(raw_documents):
            word_ids = np.zeros(self.max_document_length, np.int64)
            for place, token in enumerate(tokens[: self.max_document_length]):
                word_ids[place] = self.vocabulary_.get(token)
            yield word_ids

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The words of each row, with spaces between them."""
        for item in documents:
            yield " ".join(self.vocabulary_.reverse(class_id) for class_id in item)

    def save(self, filename: str) -> None:
        """Pickles the processor into a file."""
        with tf.io.gfile.GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> Any:
        """The processor that this, or TensorFlow 1, saved. Read files that you trust only: they
        are pickles."""
        with tf.io.gfile.GFile(filename, "rb") as file:
            return _Unpickler(io.BytesIO(file.read())).load()


class ByteProcessor:
    """Texts as rows of `max_document_length` bytes of UTF-8, filled up with 0."""

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """There is nothing to learn."""

    def fit_transform(self, x: Iterable[str | bytes]) -> Iterator[np.ndarray]:
        """`transform`."""
        return self.transform(x)

    def reverse(self, x: Iterable[np.ndarray]) -> Iterator[str]:
        """The text of each row, ``""`` for what is no UTF-8."""
        for data in x:
            document = np.trim_zeros(data.astype(np.int8), trim="b").tobytes()
            try:
                yield document.decode("utf-8")
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Iterable[str | bytes]) -> Iterator[np.ndarray]:
        """The row of each text, uint8."""
        for document in x:
            data = document.encode("utf-8") if isinstance(document, str) else document
            row = np.frombuffer(data[: self.max_document_length], dtype=np.uint8)
            yield np.pad(row, (0, self.max_document_length - len(row)), "constant")


class _Unpickler(pickle.Unpickler):
    """Finds TensorFlow 1's classes here."""

    def find_class(self, module: str, name: str) -> Any:
        if module.replace("tensorflow_core", "tensorflow").startswith(_OLD_HOME):
            return globals()[name]
        return super().find_class(module, name)
