"""TF 1's session for code that hands it on, over functions of a graph (see `graphs`).

Where a program says what it runs, a `graphs.function` takes the session's place.
"""
from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from .graphs import Graph, default_graph


class _Stack(threading.local):
    def __init__(self) -> None:
        self.sessions: list[Session] = []


_stack = _Stack()


class Session:
    """Runs parts of a graph: the given one, or the one that is being built around the call.

    Args:
        target, config: TF 1's; where a program runs is set up once for the process.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        del target, config
        self.graph = graph or default_graph()
        self._entered: list[Any] = []

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, options: Any = None,
            run_metadata: Any = None) -> Any:
        """The values of a nest of tensors, operations (None) and variables of the graph."""
        del options, run_metadata
        given = dict(feed_dict or {})
        return self.graph.function_of(list(given), fetches)(*given.values())

    def make_callable(self, fetches: Any, feed_list: Any = None) -> Any:
        """The function from `feed_list` to `fetches`."""
        return self.graph.function_of(list(feed_list or ()), fetches)

    def as_default(self) -> Session:
        """``with session.as_default():``, in which `get_default_session` gives this one."""
        return _Entered(self)

    def __enter__(self) -> Session:
        block = self.graph.as_default()
        block.__enter__()
        self._entered.append(block)
        _stack.sessions.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _stack.sessions.remove(self)
        self._entered.pop().__exit__(*error)

    def close(self) -> None:
        """Nothing: variables live as long as their graph."""


class _Entered(Session):
    """A session that was entered as the default one: its graph is not entered."""

    def __init__(self, session: Session) -> None:
        super().__init__(graph=session.graph)
        self._session = session

    def __enter__(self) -> Session:
        _stack.sessions.append(self._session)
        return self._session

    def __exit__(self, *error: Any) -> None:
        _stack.sessions.remove(self._session)


class InteractiveSession(Session):
    """A session that is the default one from the start."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self.__enter__()


def get_default_session() -> Session | None:
    """The session of the innermost block that entered one."""
    return _stack.sessions[-1] if _stack.sessions else None
