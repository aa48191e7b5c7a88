"""TF 1's session for code that hands it on, over functions of a graph (see `graphs`).

Where a program says what it runs, a `graphs.function` takes the session's place.
"""
from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from .graphs import Graph, default_graph, take_over


class _Stack(threading.local):
    def __init__(self) -> None:
        self.sessions: list[Session] = []


_stack = _Stack()


class Session:
    """Runs parts of a graph: the given one, or the one that is being built around the call.

    Variables have values of their own in each session that lives.

    Args:
        target, config: TF 1's; where a program runs is set up once for the process.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        self.graph = default_graph() if graph is None else getattr(graph, "built_by", graph)
        self.sess_str = target
        self.kept: Any = None  # the values of its variables while another session runs
        self._entered: list[Any] = []
        self.graph.use(self)

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, options: Any = None,
            run_metadata: Any = None) -> Any:
        """The values of a nest of tensors, operations (None) and variables of the graph."""
        del options, run_metadata
        with self._used():
            return self.graph.compute(fetches, feed_dict)

    @contextlib.contextmanager
    def _used(self) -> Iterator[None]:
        """The block computes with this session's values; what comes behind it with the default one's."""
        self.graph.use(self)
        try:
            yield
        finally:
            _use_default(self.graph)

    def make_callable(self, fetches: Any, feed_list: Sequence[Any] | None = None,
                      accept_options: bool = False) -> Callable[..., Any]:
        """The function from `feed_list` to `fetches`."""
        function = self.graph.function_of(list(feed_list or ()), fetches)

        def call(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            with self._used():
                return function(*values)

        return call

    def partial_run_setup(self, fetches: Any, feeds: Sequence[Any] | None = None) -> Any:
        """What `partial_run` takes to compute parts of `fetches` from parts of `feeds`."""
        return _Partial(list(feeds or ()), tf.nest.flatten(fetches))

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Mapping[Any, Any] | None = None
                    ) -> Any:
        """Computes a part; what was computed before is not computed again."""
        return handle.run(self, fetches, dict(feed_dict or {}))

    @staticmethod
    def reset(target: str = "", containers: Any = None, config: Any = None) -> None:
        """Nothing: no other process keeps resources."""

    def list_devices(self) -> list[Any]:
        """The devices of the process."""
        return list(tf.config.list_logical_devices())

    @property
    def graph_def(self) -> Any:
        return self.graph.as_graph_def()

    def as_default(self) -> Session:
        """``with session.as_default():``, in which `get_default_session` gives this one."""
        return _Entered(self)

    def __enter__(self) -> Session:
        block = self.graph.as_default()
        block.__enter__()
        self._entered.append(block)
        _stack.sessions.append(self)
        self.graph.use(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _stack.sessions.remove(self)
        self._entered.pop().__exit__(*error)
        self.close()
        _use_default(self.graph)

    def close(self) -> None:
        """Ends what the session has open: threads that wait for its queues go on."""
        self.graph.end(self)


class _Partial:
    """A run in parts: what is fetched early takes part in what comes later as it was.

    Raises:
        ValueError: something is fetched or fed that was not announced, or fetched twice.
        NotImplementedError: a part needs what another one did.
    """

    def __init__(self, feeds: list[Any], fetches: list[Any]) -> None:
        self._feeds, self._open = feeds, fetches
        self._given: dict[Any, Any] = {}
        self._done: frozenset[str] = frozenset()

    def run(self, session: Session, fetches: Any, given: dict[Any, Any]) -> Any:
        wanted = tf.nest.flatten(fetches)
        unknown = [f for f in given if not any(f is feed for feed in self._feeds)]
        unknown += [f for f in wanted if not any(f is fetch for fetch in self._open)]
        if unknown:
            raise ValueError(f"{unknown[0]!r} was not given to partial_run_setup, or was fetched")
        self._given |= given
        session.graph.use(session)
        function = session.graph.function_of(list(self._given), wanted)
        again = sorted(function.acts & self._done)
        if again:
            raise NotImplementedError(f"this part needs {again[0]!r} once more, which acts or draws: "
                                      "fetch what follows from it in the first part")
        self._done |= function.acts
        found = function(*self._given.values())
        self._open = [f for f in self._open if not any(f is fetch for fetch in wanted)]
        self._given |= {tensor: value for tensor, value in zip(wanted, found, strict=True)
                        if isinstance(tensor, tf.Tensor)}
        return tf.nest.pack_sequence_as(fetches, found)


class _Entered(Session):
    """A session that was entered as the default one: its graph is not entered."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> Session:
        _stack.sessions.append(self._session)
        self._session.graph.use(self._session)
        return self._session

    def __exit__(self, *error: Any) -> None:
        _stack.sessions.remove(self._session)
        _use_default(self._session.graph)


class InteractiveSession(Session):
    """A session that is the default one from the start, as its graph is until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._earlier = take_over(self.graph)
        self.__enter__()

    def close(self) -> None:
        super().close()
        if self._earlier is not None:
            take_over(self._earlier)
            self._earlier = None


def _use_default(graph: Graph) -> None:
    """Variables have the values of the default session again, if that is one of their graph."""
    session = get_default_session()
    if session is not None and session.graph is graph:
        graph.use(session)


def get_default_session() -> Session | None:
    """The session of the innermost block that entered one."""
    return _stack.sessions[-1] if _stack.sessions else None
