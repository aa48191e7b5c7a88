"""Tests that were written for sessions, as eager tests: values of nests, and a clean start."""
from __future__ import annotations

import contextlib
import functools
import inspect
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from .graphs import process_graph
from .names import unlifted
from .store import builds_graph, current_run, reset_default_store


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


def _session() -> TestSession:
    """What runs the graph that is being built, if one is."""
    return TestSession(current_run().graph if builds_graph() else None)


def _tf1_message(error: Exception) -> str:
    """The message of `error`, followed by what TF 1 said where eager TensorFlow words it anew."""
    message = error.message if isinstance(error, tf.errors.OpError) else str(error)
    _, failed, data = message.partition(" to be true. Summarized data: ")
    if not failed:
        return message
    parts = (re.sub(r"^b'(.*)'$", r"\1", line) for line in data.splitlines())
    return f"{message}\nassertion failed: " + " ".join(f"[{part}]" for part in parts)


def _by_identity(items: Any) -> list[Any]:
    return [x.ref() if isinstance(x, (tf.Variable, tf.Tensor)) else x for x in items]


@functools.cache
def get_temp_dir() -> str:
    """A directory for the files of this process's tests, the same at every call."""
    return tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))


def _outlives_traces(make: Callable[..., Any], **kwargs: Any) -> Any:
    """Makes a variable outside of the trace, as far as its first value is not computed there."""
    value = kwargs.get("initial_value")
    if isinstance(value, tf.Tensor) and not hasattr(value, "numpy"):
        return make(**kwargs)
    with tf.init_scope():
        return unlifted(make, **kwargs)


def traced(function: Callable[..., Any]) -> Any:
    """`function`, which builds a graph, for one call: traced, it sees the static shapes and names
    that it saw in TF 1, and what nobody asks for is not computed. It may make Keras layers."""
    def build(*args: Any, **kwargs: Any) -> Any:
        with tf.variable_creator_scope(_outlives_traces):
            return function(*args, **kwargs)

    return tf.function(build, autograph=False)


class TestSession:
    """Stands where tests have a session left: `run` gives values that were computed already, or
    computes parts of `graph`."""

    __test__ = False  # of pytest: this class holds no tests

    def __init__(self, graph: Any = None) -> None:
        self.graph = graph

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """See `run` of this module."""
        if self.graph is None:
            return run(fetches, feed_dict)
        return self.graph.compute(fetches, feed_dict)

    def close(self) -> None:
        """Nothing to do."""


class _OfGraph(TestSession):
    """The same where tensors ask for the session themselves (`x.eval()`): it has their graph's own object."""

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        return self.graph.built_by.compute(fetches, feed_dict)


def _as_default(session: TestSession) -> Any:
    """Makes a session the one that the tensors of its graph ask."""
    return tf.compat.v1.Session.as_default(_OfGraph(session.graph.traced))  # type: ignore[arg-type]


def in_graph(test: Any) -> Any:
    """Marks a test method, or every test of a class, that needs a graph to build into.

    `TestCase` opens the graph before setUp, so that what that makes belongs to it too; for other classes the
    test opens one itself.
    """
    marked = test
    if inspect.isfunction(test):
        @functools.wraps(test)
        def marked(self: TestCase, *args: Any, **kwargs: Any) -> Any:
            if tf.executing_eagerly():
                _open_graph(self)
            return test(self, *args, **kwargs)

    marked.in_graph = _open_graph
    return marked


def only_traced(test: Callable[..., None]) -> Callable[..., None]:
    """Marks a test method that builds and asks for shapes and names, but for no values: it is traced
    like a graph of TF 1, and nothing of it is computed."""
    @functools.wraps(test)
    def marked(self: Any, *args: Any, **kwargs: Any) -> None:
        if tf.executing_eagerly():
            traced(lambda: test(self, *args, **kwargs)).get_concrete_function()
        else:
            test(self, *args, **kwargs)

    return marked


def _open_graph(test: TestCase) -> None:
    """Opens a new graph until `test` ends, which may begin another one (`reset_default_store`)."""
    reset_default_store()
    test.enterContext(process_graph())
    tf.random.set_seed(87654321)  # of this graph; the number is tf.test.TestCase's


# What is found wrong with shapes raised the one while TF 1 built a graph, the other when it ran.
_SHAPE_ERRORS = (ValueError, tf.errors.InvalidArgumentError)


def _either(expected: Any) -> Any:
    return _SHAPE_ERRORS if expected in _SHAPE_ERRORS else expected


def _in_own_graph(set_up: Callable[[Any], None]) -> Callable[[Any], None]:
    """A setUp that does not call that of `TestCase`: it begins with the graph of its test, if it has one."""
    @functools.wraps(set_up)
    def wrapped(self: Any) -> None:
        if tf.executing_eagerly():
            self.open_graph()
        set_up(self)

    return wrapped


@contextlib.contextmanager
def _without_begun_graph() -> Iterator[None]:
    """A graph that a module began while it was imported does not build the block."""
    try:  # it is there where a module begins one
        from .graphs import closed
    except ImportError:
        yield
        return
    with closed():
        yield


class TestCase(tf.test.TestCase):
    """A `tf.test.TestCase` whose tests each begin with no variables and with TF 1's seeds."""

    __test__ = False  # of pytest: this class itself holds no tests
    in_graph: Callable[..., None] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__test__ = cls.__dict__.get("__test__", True)
        set_up = cls.__dict__.get("setUp")
        if inspect.isfunction(set_up) and "setUp" not in set_up.__code__.co_names:
            cls.setUp = _in_own_graph(set_up)  # type: ignore[method-assign]

    def setUp(self) -> None:
        with _without_begun_graph():
            super().setUp()  # seeds Python, NumPy and TensorFlow, and drops graphs that modules began
        reset_default_store()
        if not builds_graph():
            self.enterContext(tf.variable_creator_scope(current_run().lifted))
        self.open_graph()

    def open_graph(self) -> None:
        """Opens the graph of a test that is marked to need one."""
        if self.in_graph is not None:
            self.in_graph()
        elif open_graph := getattr(getattr(self, self._testMethodName), "in_graph", None):
            open_graph(self)

    def evaluate(self, tensors: Any) -> Any:
        """`tensors` (a nest) with arrays in place of tensors; see `run` of this module."""
        return _session().run(tensors)

    @contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Any]:
        """For tests whose session could not be taken out; the device is ignored."""
        del config, use_gpu, force_gpu
        with contextlib.nullcontext() if graph is None else graph.as_default():
            made = _session()
            with _as_default(made) if made.graph is not None else contextlib.nullcontext():
                yield made

    cached_session = test_session = session

    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected: Any) -> Any:
        """As in `tf.test.TestCase`; a regex is also looked for in TF 1's words for the error."""
        if not isinstance(expected, str):
            return super().assertRaisesWithPredicateMatch(exception_type, expected)
        return super().assertRaisesWithPredicateMatch(
            exception_type, lambda error: re.search(expected, _tf1_message(error)) is not None)

    def assertRaises(self, expected_exception: Any, *args: Any, **kwargs: Any) -> Any:
        """As in `unittest`; a ValueError of TF 1's graphs may be an InvalidArgumentError of eager
        TensorFlow, and the other way round."""
        return super().assertRaises(_either(expected_exception), *args, **kwargs)

    def assertRaisesRegex(self, expected_exception: Any, *args: Any, **kwargs: Any) -> Any:
        """See `assertRaises`."""
        return super().assertRaisesRegex(_either(expected_exception), *args, **kwargs)

    assertRaisesRegexp = assertRaisesRegex

    def assertCountEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """As in `unittest`; variables and tensors are equal to themselves alone, as in TF 1."""
        super().assertCountEqual(_by_identity(first), _by_identity(second), msg)

    assertItemsEqual = assertCountEqual

    def assertShape(self, shape: Any, tensor: Any) -> None:
        """Asserts the shape of a tensor or array."""
        self.assertEqual(tuple(shape), tuple(np.shape(tensor)))
