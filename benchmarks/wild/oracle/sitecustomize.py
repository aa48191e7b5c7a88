"""Loaded by every Python of an original's run on TF 1.15: notes what each run fetched and was fed.

Its folder stands on the PYTHONPATH. What is noted goes to a file for each process in the folder that
MIGRATOR_ORACLE names: for every line of the repository (below MIGRATOR_VERIFY_ROOT) that ran a session
the fetched and the fed operations, each with the lines of the repository that made it, innermost last.
Runs that TensorFlow's own code makes for the program (savers, queue runners) are left out. Keeps to
Python 3.7.
"""

from __future__ import annotations

import atexit
import functools
import importlib.abc
import json
import os
import sys
from typing import Any

_SESSION = "tensorflow.python.client.session"
# What only hands a run on: Tensor.eval, Operation.run, Variable.eval and load, monitored sessions.
_HANDS_ON = ("client/session.py", "framework/ops.py", "ops/variables.py",
             "ops/resource_variable_ops.py", "training/monitored_session.py")
_ROOT = os.path.realpath(os.environ.get("MIGRATOR_VERIFY_ROOT", os.getcwd())) + os.sep
_OWN = os.path.abspath(__file__)
_sites: dict = {}
_made: dict = {}


@functools.lru_cache(maxsize=None)  # noqa: UP033  # Python 3.7
def _inside(path: str) -> str:
    """A file relative to the repository; "" for one that is not in it."""
    whole = os.path.realpath(path)
    return whole[len(_ROOT):].replace(os.sep, "/") if whole.startswith(_ROOT) else ""


def _caller() -> str:
    """file:line of the repository that asks for the run; "" if other code does it by itself."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if os.path.abspath(path) != _OWN and not path.replace(os.sep, "/").endswith(_HANDS_ON):
            own = _inside(path)
            return f"{own}:{frame.f_lineno}" if own else ""
        frame = frame.f_back
    return ""


def _lines(operation: Any) -> list:
    """The repository's lines that made an operation, as file:line, the innermost last."""
    key = (id(operation.graph), operation.name)
    if key not in _made:
        found = [(_inside(entry[0]), entry[1]) for entry in operation.traceback]
        _made[key] = [f"{file}:{line}" for file, line in found if file]
    return _made[key]


def _elements(graph: Any, value: Any) -> Any:
    """The operations of the graph in a nest of fetches or feeds."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _elements(graph, part)
    elif value is not None:
        parts = [getattr(value, n) for n in ("indices", "values", "dense_shape") if hasattr(value, n)]
        if parts and not hasattr(value, "graph_element"):
            yield from _elements(graph, [p for p in parts if hasattr(p, "op")])
            return
        try:
            element = graph.as_graph_element(value, allow_tensor=True, allow_operation=True)
        except (TypeError, ValueError, KeyError):
            return
        yield getattr(element, "op", element)


def _note(session: Any, fetches: Any, feed: Any) -> None:
    place = _caller()
    if not place:
        return
    if isinstance(fetches, dict) and "caller" in fetches:  # of a monitored session, beside its hooks'
        fetches = fetches["caller"]
    site = _sites.setdefault(place, {"runs": 0, "fetches": {}, "feeds": {}})
    site["runs"] += 1
    keys = list(feed) if isinstance(feed, dict) else []
    for kind, value in (("fetches", fetches), ("feeds", keys)):
        for operation in _elements(session.graph, value):
            if operation.name not in site[kind]:
                site[kind][operation.name] = _lines(operation)


def _watched(function: Any) -> Any:
    @functools.wraps(function)
    def run(self: Any, fetches: Any, feed_dict: Any = None, *args: Any, **kwargs: Any) -> Any:
        _note(self, fetches, feed_dict)
        return function(self, fetches, feed_dict, *args, **kwargs)

    return run


def _watched_part(function: Any) -> Any:
    @functools.wraps(function)
    def partial_run(self: Any, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        _note(self, fetches, feed_dict)
        return function(self, handle, fetches, feed_dict)

    return partial_run


def _write() -> None:
    if _sites:
        name = os.path.join(os.environ["MIGRATOR_ORACLE"], f"{os.getpid()}.json")
        with open(name, "w") as stream:
            json.dump(_sites, stream)


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self.loader.exec_module(module)
        module.BaseSession.run = _watched(module.BaseSession.run)
        module.BaseSession.partial_run = _watched_part(module.BaseSession.partial_run)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != _SESSION:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self and hasattr(
                finder, "find_spec") else None
            if spec is not None:
                spec.loader = _Loader(spec.loader)
                return spec
        return None


if "MIGRATOR_ORACLE" in os.environ:
    sys.meta_path.insert(0, _Finder())
    atexit.register(_write)
