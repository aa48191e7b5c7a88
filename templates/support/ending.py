"""Threads that still compute when the program ends.

Python ends its daemon threads where they are, and one that is in the middle of TensorFlow then takes the
process with it ("FATAL: exception not rethrown"). Sessions of TF 1 did not mind.  So the end of the program
closes what they may wait for, and waits until they are out.
"""
from __future__ import annotations

import atexit
import contextlib
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

_FEW_SECONDS = 0.2  # that the end of the program waits before it closes what others may wait for
_MOST_SECONDS = 5.0  # and behind that
graphs: weakref.WeakSet[Any] = weakref.WeakSet()  # those whose queues are closed then


class _Calls:
    """The calls that are open in other threads than the main one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open = 0
        self._ending = False  # no further one begins
        self._closed = False  # what they wait for

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """The block is such a call. Once the program ends, its thread ends with it."""
        with self._changed:
            if self._ending:
                raise SystemExit
            self._open += 1
        try:
            yield
        except tf.errors.OpError:
            if self._closed:
                raise SystemExit from None
            raise
        finally:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def end(self) -> None:
        """Called when the program ends."""
        with self._changed:
            self._ending = True
            if self._changed.wait_for(lambda: not self._open, _FEW_SECONDS):
                return
            self._closed = True
        for graph in list(graphs):
            graph.end(graph.session)
        with self._changed:
            self._changed.wait_for(lambda: not self._open, _MOST_SECONDS)


_calls = _Calls()
atexit.register(_calls.end)


def called() -> Any:
    """Code of the block computes; the end of the program waits for it where it is in a thread of its own."""
    if threading.get_ident() == threading.main_thread().ident:
        return contextlib.nullcontext()
    return _calls.inside()
