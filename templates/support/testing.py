"""Tests that were written for sessions, as eager tests: values of nests, and a clean start."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from .store import reset_default_store


def _value(fetch: Any) -> Any:
    if isinstance(fetch, tf.SparseTensor):
        return tf.SparseTensor(*(_value(part) for part in (
            fetch.indices, fetch.values, fetch.dense_shape)))
    if isinstance(fetch, tf.IndexedSlices):
        return tf.IndexedSlices(_value(fetch.values), _value(fetch.indices), fetch.dense_shape)
    if isinstance(fetch, tf.RaggedTensor):
        return tf.ragged.constant(fetch.to_list()) if fetch.ragged_rank else fetch.numpy()
    numpy = getattr(fetch, "numpy", None)
    return numpy() if callable(numpy) else fetch


def run(fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
    """What Session.run gave: the nest `fetches` with arrays in place of tensors and variables.

    None (a training operation that was run already) stays None; numbers, strings and arrays stay
    as they are.

    Raises:
        ValueError: there is something to feed, which eager code has no place for.
    """
    if feed_dict:
        raise ValueError("eager tensors cannot be fed: pass the values as arguments to the "
                         "function that computes the fetches")
    if isinstance(fetches, Mapping):
        values = [(key, run(value)) for key, value in fetches.items()]
        return type(fetches)(values)  # type: ignore[call-arg]
    if isinstance(fetches, tuple) and hasattr(fetches, "_fields"):
        return type(fetches)(*(run(value) for value in fetches))
    if isinstance(fetches, (list, tuple)):
        return type(fetches)(run(value) for value in fetches)
    return _value(fetches)


class EagerSession:
    """Stands where tests have a session left: `run` gives values that were computed already."""

    graph = None

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """See `run` of this module."""
        return run(fetches, feed_dict)

    def close(self) -> None:
        """Nothing to do."""


class TestCase(tf.test.TestCase):
    """A `tf.test.TestCase` whose tests each begin with no variables and with TF 1's seeds."""

    __test__ = False  # of pytest: this class itself holds no tests

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__test__ = cls.__dict__.get("__test__", True)

    def setUp(self) -> None:
        super().setUp()  # seeds Python, NumPy and TensorFlow
        reset_default_store()

    def evaluate(self, tensors: Any) -> Any:
        """`tensors` (a nest) with arrays in place of tensors; see `run` of this module."""
        return run(tensors)

    @contextlib.contextmanager
    def session(self, *args: Any, **kwargs: Any) -> Iterator[EagerSession]:
        """For tests whose session could not be taken out; its graph and device are ignored."""
        yield EagerSession()

    cached_session = session
    test_session = session

    def assertShape(self, shape: Any, tensor: Any) -> None:
        """Asserts the shape of a tensor or array."""
        self.assertEqual(tuple(shape), tuple(np.shape(tensor)))
